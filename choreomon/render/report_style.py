"""The style sheet of report pages.

At night pictures are inverted, and their hues turned back: so they need no second set of colours,
and are legible wherever they are by day.
"""

from typing import Final

from choreomon.render.drawing import INK, MUTED, PAPER, POSSIBLY, QUIET, RULE, VIOLATED
from choreomon.render.svg import FONTS

STYLE: Final = f"""
:root {{ color-scheme: light dark; --ink: {INK}; --muted: {MUTED}; --paper: {PAPER}; --rule: {RULE};
  --ground: #f1f4f7; --violated: {VIOLATED}; --possibly: {POSSIBLY}; --quiet: {QUIET};
  --link: #1d3f72; }}
@media screen and (prefers-color-scheme: dark) {{
  :root {{ --ink: #e3e8ed; --muted: #a3afba; --paper: #171717; --rule: #3a4149; --ground: #0b0d0f;
    --violated: #ff8a85; --possibly: #f0b45c; --quiet: #86cf95; --link: #9fc1f5; }}
  figure svg {{ filter: invert(.91) hue-rotate(180deg); }}
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
figure, .wide {{ margin: .5rem 0; overflow-x: auto; }}
figcaption {{ color: var(--muted); font-size: .875rem; position: sticky; left: 0; }}
figure svg {{ display: block; width: 100%; height: auto; }}
.picture {{ position: relative; }}
.picture i {{ position: absolute; top: 0; width: 1px; height: 100%; visibility: hidden;
  scroll-initial-target: nearest; scroll-snap-align: center; }}
.charts {{ display: flex; flex-wrap: wrap; gap: 1rem; }}
.charts figure {{ flex: 1 1 20rem; max-width: 26rem; }}
.plots {{ display: flex; flex-wrap: wrap; gap: 1rem 2rem; }}
.plots figure {{ flex: 0 1 auto; max-width: 100%; }}
summary {{ cursor: pointer; margin: .75rem 0 .5rem; font-weight: 600; }}
table {{ border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }}
th, td {{ text-align: left; vertical-align: top; padding: .3rem .9rem .3rem 0;
  border-bottom: 1px solid var(--rule); }}
td {{ overflow-wrap: break-word; }}
th {{ font-weight: 600; }}
.number, .numbers td {{ text-align: right; }}
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
  figure, .wide {{ overflow: visible; }}
  .picture {{ min-width: 0 !important; }}
  figure, tr {{ break-inside: avoid; }}
}}
"""
