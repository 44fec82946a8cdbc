"""Style report pages. Pictures have the dark colours that files of pictures have."""

from typing import Final

from choreomon.pictures.shapes.drawing import (
    DARK,
    FORWARD,
    INK,
    MUTED,
    PAPER,
    POSSIBLY,
    QUIET,
    RULE,
    VIOLATED,
)
from choreomon.pictures.shapes.svg import DARK_STYLE, FONTS

_NAMED: Final = {
    "ink": INK,
    "muted": MUTED,
    "paper": PAPER,
    "rule": RULE,
    "violated": VIOLATED,
    "possibly": POSSIBLY,
    "quiet": QUIET,
    "link": FORWARD,
}
_LIGHT: Final = " ".join(f"--{name}: {colour};" for name, colour in _NAMED.items())
_NIGHT: Final = " ".join(f"--{name}: {DARK[colour]};" for name, colour in _NAMED.items())

STYLE: Final = f"""
:root {{ color-scheme: light dark; --ground: #f1f4f7; {_LIGHT} }}
@media screen and (prefers-color-scheme: dark) {{
:root {{ --ground: #0b0d0f; {_NIGHT} }}
{DARK_STYLE}
}}
* {{ box-sizing: border-box; }}
body {{ margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 {FONTS}; }}
main {{ max-width: 90rem; margin: 0 auto; padding: 1rem; }}
header, section, nav, footer {{ background: var(--paper); border-radius: 8px; padding: 1rem 1.25rem;
  margin-bottom: 1rem; }}
header {{ border-left: 8px solid; }}
header p {{ margin: 0; color: var(--muted); }}
h1 {{ margin: 0; font-size: 1.6rem; line-height: 1.25; }}
h2 {{ margin: 0 0 .75rem; font-size: 1.25rem; }}
h3 {{ margin: 1.25rem 0 .5rem; font-size: 1rem; }}
h4 {{ margin: .75rem 0 .25rem; font-size: .9rem; }}
nav {{ padding: .5rem 1.25rem; }}
nav ul {{ display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; padding: 0; }}
a {{ color: var(--link); }}
article {{ border-top: 1px solid var(--rule); }}
article:first-of-type {{ border-top: 0; }}
.violated {{ color: var(--violated); }}
.possibly {{ color: var(--possibly); }}
.quiet {{ color: var(--quiet); }}
.note {{ color: var(--muted); }}
p, ul, ol {{ margin: .25rem 0 .5rem; }}
h1, h2, h3, p, li, summary, figcaption {{ overflow-wrap: anywhere; }}
ul, ol {{ padding-left: 1.25rem; }}
figure, .wide {{ margin: .5rem 0; }}
.scroll, .wide {{ overflow-x: auto; background:
  linear-gradient(to right, var(--paper) 40%, transparent) 0 0 / 2rem 100% no-repeat local,
  linear-gradient(to left, var(--paper) 40%, transparent) 100% 0 / 2rem 100% no-repeat local,
  linear-gradient(to right, #0004, transparent) 0 0 / .75rem 100% no-repeat scroll,
  linear-gradient(to left, #0004, transparent) 100% 0 / .75rem 100% no-repeat scroll; }}
figcaption {{ color: var(--muted); font-size: .875rem; }}
.scroll svg {{ display: block; width: 100%; height: auto; }}
.picture {{ position: relative; display: grid; }}
.picture > svg, .names {{ grid-area: 1 / 1; }}
.names {{ position: sticky; left: 0; justify-self: start; box-shadow: 4px 0 4px -4px #0006; }}
.picture i {{ position: absolute; top: 0; width: 1px; height: 100%; visibility: hidden;
  scroll-initial-target: nearest; scroll-snap-align: center; }}
.legend {{ display: flex; flex-wrap: wrap; gap: 0 1rem; list-style: none; margin: .5rem 0 0;
  padding: 0; font-size: .8rem; }}
.legend svg {{ vertical-align: -.25rem; margin-right: .25rem; }}
.finding {{ display: flex; flex-wrap: wrap; gap: 0 2rem; }}
.finding > div {{ flex: 1 1 22rem; min-width: 0; }}
.finding > figure {{ flex-grow: 2; min-width: 0; }}
.order {{ font-size: .9rem; padding-left: 2rem; }}
.order .other {{ list-style: none; color: var(--muted); padding-left: 1.5rem; }}
.order code {{ font-size: .85em; color: var(--muted); overflow-wrap: anywhere; }}
pre {{ margin: 0; font-size: .8rem; }}
.filters {{ display: flex; flex-wrap: wrap; gap: .5rem; }}
fieldset {{ border: 1px solid var(--rule); border-radius: 6px; padding: .1rem .6rem; }}
legend {{ color: var(--muted); font-size: .8rem; }}
label {{ margin-right: .6rem; white-space: nowrap; }}
.plain {{ list-style: none; }}
.option {{ white-space: nowrap; }}
footer th {{ white-space: nowrap; }}
.charts {{ display: flex; flex-wrap: wrap; gap: 1rem; }}
.charts figure {{ flex: 1 1 20rem; max-width: 26rem; }}
.plots {{ display: flex; flex-wrap: wrap; gap: 1rem 2rem; }}
.plots figure {{ flex: 0 1 auto; max-width: 100%; }}
summary {{ cursor: pointer; margin: .75rem 0 .5rem; font-weight: 600; }}
table {{ border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }}
th, td {{ text-align: left; vertical-align: top; padding: .3rem .9rem .3rem 0;
  border-bottom: 1px solid var(--rule); }}
td {{ overflow-wrap: break-word; }}
th, .number {{ white-space: nowrap; }}
th {{ font-weight: 600; }}
.number, .numbers td {{ text-align: right; }}
.in-sight tr > :nth-child(-n+3) {{ position: sticky; left: 0; background: var(--paper);
  box-sizing: border-box; min-width: 5em; max-width: 5em; }}
.in-sight tr > :nth-child(2) {{ left: 5em; }}
.in-sight tr > :nth-child(3) {{ left: 10em; box-shadow: 4px 0 4px -4px #0006; }}
.facts th {{ color: var(--muted); font-weight: 400; }}
footer {{ font-size: .875rem; }}
footer td {{ overflow-wrap: anywhere; }}
@media (max-width: 40rem) {{
  main {{ padding: .5rem; }}
  header, section, nav, footer {{ padding: .75rem; margin-bottom: .5rem; }}
  header {{ border-left-width: 4px; }}
  h1 {{ font-size: 1.3rem; }}
  table {{ font-size: .72rem; }}
  th, td {{ padding-right: .4rem; }}
}}
@media print {{
  body {{ background: var(--paper); font-size: 11pt; }}
  main, header, section {{ padding: 0; max-width: none; }}
  header {{ padding-left: .75rem; }}
  nav {{ display: none; }}
  .scroll, .wide {{ overflow: visible; background: none; }}
  .picture {{ min-width: 0 !important; }}
  .names {{ display: none; }}
  figure, tr {{ break-inside: avoid; }}
}}
"""
