#!/usr/bin/env python3
"""A page is sound: its tags are closed in order, ids are unique, links lead somewhere, and nothing in it runs or loads but the
one style and the one script that its policy names by their hashes.

    sound.py PAGE
"""
import base64
import hashlib
import re
import sys
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "img", "input", "hr"}
# End tags that HTML lets out, and what ends such an element.
IMPLIED = {
    "li": {"li"}, "td": {"td", "th", "tr"}, "th": {"td", "th", "tr"}, "tr": {"tr"}, "thead": {"tbody"}, "p": set(),
}
ELEMENTS = set("""html head meta title style link body a header p h1 h2 h3 h4 nav ul ol li main section article div span b i em bdi code pre
    table caption thead tbody tr th td details summary footer script figure figcaption br svg rect path circle text desc""".split())
ATTRIBUTES = set("""lang charset http-equiv content name rel href class id tabindex role aria-label aria-labelledby aria-describedby
    aria-hidden scope colspan open viewbox width height x y rx d cx cy r stroke-dasharray transform""".split())


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.faults = [], set(), [], []
        self.styles, self.scripts, self.policy = [], [], ""

    def fault(self, text):
        self.faults.append(f"line {self.getpos()[0]}, column {self.getpos()[1]}: {text}")

    def handle_startendtag(self, tag, attrs):
        self.attributes(tag, attrs)

    def handle_starttag(self, tag, attrs):
        self.attributes(tag, attrs)
        while self.open and tag in IMPLIED.get(self.open[-1], ()):
            self.open.pop()
        if tag not in VOID:
            self.open.append(tag)

    def attributes(self, tag, attrs):
        if tag not in ELEMENTS:
            self.fault(f"<{tag}> is none of ours")
        for name, value in attrs:
            if name not in ATTRIBUTES:
                self.fault(f"attribute {name} of <{tag}> is none of ours")
            if name == "id":
                if value in self.ids:
                    self.fault(f"id {value} stands twice")
                self.ids.add(value)
            if name == "href":
                if tag == "a" and value.startswith("#"):
                    self.links.append(value[1:])
                elif value != "data:,":
                    self.fault(f"a link to {value}")
            if name == "content" and "default-src" in value:
                self.policy = value

    def handle_endtag(self, tag):
        while self.open and self.open[-1] != tag and self.open[-1] in IMPLIED:
            self.open.pop()
        if not self.open or self.open[-1] != tag:
            self.fault(f"</{tag}> closes what is not open ({' '.join(self.open[-4:])})")
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] in ("style", "script"):
            (self.styles if self.open[-1] == "style" else self.scripts).append(data)

    def handle_comment(self, data):
        self.fault("a comment")


def main():
    raw = open(sys.argv[1], "rb").read()
    text = raw.decode("utf-8")
    page = Page()
    page.feed(text)
    page.close()
    if page.open:
        page.fault(f"left open: {page.open}")
    if page.rawdata:
        page.fault("the text ends in the middle of a tag")
    for kind, parts in (("style", page.styles), ("script", page.scripts)):
        digest = base64.b64encode(hashlib.sha256("".join(parts).encode()).digest()).decode()
        if f"{kind}-src 'sha256-{digest}'" not in page.policy:
            page.fault(f"the policy does not name this {kind}: {digest}")
        if text.count(f"<{kind}") != 1:
            page.fault(f"more than one {kind}")
    page.faults += [f"#{link} leads nowhere" for link in page.links if link not in page.ids]
    if re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text):
        page.fault("control characters")
    print("\n".join(page.faults[:20]))
    return 1 if page.faults else 0


if __name__ == "__main__":
    sys.exit(main())
