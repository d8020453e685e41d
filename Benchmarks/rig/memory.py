"""The largest memory of a server while something goes on."""

import threading

from children import resident_kib

INTERVAL = 0.1  # seconds between samples


class PeakMemory:
    """Samples on a thread of its own while in `with`. `growth_kib`: the largest sample beyond the first."""

    def __init__(self, pids):
        self.pids = pids
        self.first_kib = self.peak_kib = resident_kib(pids)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def growth_kib(self):
        return self.peak_kib - self.first_kib

    def _sample(self):
        self.peak_kib = max(self.peak_kib, resident_kib(self.pids))

    def _run(self):
        while not self._stop.wait(INTERVAL):
            self._sample()

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()
        self._sample()
