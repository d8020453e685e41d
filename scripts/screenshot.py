"""Draws docs/images/page.png: the page with both consumers going and a run in progress.

Usage, after `make test` and a release build:
    RUNCAST_BINARY=.build/release/runcast .venv/bin/python scripts/screenshot.py
"""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests/live"))

from conftest import Server, eventually, launch_chromium  # noqa: E402
from page_object import RuncastPage  # noqa: E402

TERMS = 400_000_000_000  # tens of seconds of work


def main():
    server = Server("--tick-interval", "200ms")
    server.request("POST", "/v1/jobs", {"kind": "square-root-sum", "input": {"terms": 1_000_000_000}})
    with sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        context = browser.new_context(viewport={"width": 1200, "height": 980}, device_scale_factor=1.5)
        page = RuncastPage(context, server.url).open()
        page.start(TERMS)
        eventually(lambda: page["progress"].evaluate("bar => bar.value") > 0.2, timeout=120)
        page.consumer("A", "cancel").click()
        page.tab.wait_for_timeout(600)  # B goes on meanwhile
        (ROOT / "docs/images").mkdir(exist_ok=True)
        page.tab.screenshot(path=ROOT / "docs/images/page.png", full_page=True)
        browser.close()
    server.stop()


if __name__ == "__main__":
    main()
