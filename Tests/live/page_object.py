"""The page as a test sees it: elements by their `data-testid`, and what they have shown so far."""

import re

from playwright.sync_api import expect

ENDLESS = 9_000_000_000_000_000  # terms that no test waits for
COMPUTING = re.compile("^(Starting|Queued|Calculating)$")


class RuncastPage:
    """One open page.

    `problems` collects what must not happen: uncaught errors, console errors, requests to elsewhere.
    A refused or broken request is a console error of Chromium's, so a test that provokes some says so
    by `expects_failed_requests`.
    """

    def __init__(self, context, url):
        self.url = url
        self.expects_failed_requests = False
        self.problems = []
        self.tab = context.new_page()
        self.tab.on("pageerror", lambda error: self.problems.append(f"uncaught: {error}"))
        self.tab.on("console", self._note_console)
        self.tab.on("request", self._note_request)

    def open(self, path="/"):
        self.tab.goto(self.url + path)
        return self

    def _note_console(self, message):
        if message.type not in ("error", "warning"):
            return
        if self.expects_failed_requests and message.text.startswith("Failed to load resource"):
            return
        self.problems.append(f"console: {message.text}")

    def _note_request(self, request):
        if not request.url.startswith(self.url + "/"):
            self.problems.append(f"outside request: {request.url}")

    def __getitem__(self, test_id):
        return self.tab.get_by_test_id(test_id)

    def consumer(self, name, part):
        return self[f"consumer-{name}"].get_by_test_id(f"consumer-{part}")

    def tick_number(self, name):
        """The n that a consumer shows, 0 while it waits."""
        match = re.match(r"n=(\d+), square=(\d+)$", self.consumer(name, "value").text_content())
        if match is None:
            return 0
        assert int(match[2]) == int(match[1]) ** 2
        return int(match[1])

    def start(self, terms, policy=None):
        self["terms"].fill(str(terms))
        if policy:
            self["on-conflict"].select_option(policy)
        self["start"].click()

    def expect_status(self, text):
        expect(self["status"]).to_have_text(text, timeout=20_000)

    def record(self, test_id, name="seen"):
        """Keeps every text that the element shows from now on; `recorded` returns them."""
        self[test_id].evaluate(
            """(element, name) => {
                window[name] = [element.textContent];
                new MutationObserver(() => window[name].push(element.textContent))
                    .observe(element, {childList: true, characterData: true, subtree: true});
            }""",
            name,
        )

    def recorded(self, name="seen"):
        return self.tab.evaluate("name => window[name]", name)

    def focused(self):
        """The `data-testid` of the focused element."""
        return self.tab.evaluate("document.activeElement?.dataset.testid ?? null")

    def tab_to(self, test_id, presses=40):
        for _ in range(presses):
            self.tab.keyboard.press("Tab")
            if self.focused() == test_id:
                return
        raise AssertionError(f"{test_id} can't be reached with {presses} presses of Tab")
