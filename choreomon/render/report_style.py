"""The style sheet of report pages."""

from typing import Final

from choreomon.render.drawing import INK, MUTED, PAPER, POSSIBLY, QUIET, RULE, VIOLATED
from choreomon.render.svg import FONTS

STYLE: Final = f"""
:root {{ color-scheme: light; }}
body {{ margin: 0; background: #f1f4f7; color: {INK}; font: 16px/1.5 {FONTS}; }}
main {{ max-width: 90rem; margin: 0 auto; padding: 1rem; }}
header, section {{ background: {PAPER}; border-radius: 8px; padding: 1rem 1.25rem;
  margin-bottom: 1rem; }}
header {{ border-left: 8px solid; }}
header p {{ margin: 0; color: {MUTED}; }}
h1 {{ margin: 0; font-size: 1.6rem; line-height: 1.25; }}
h2 {{ margin: 0 0 .75rem; font-size: 1.25rem; }}
h3 {{ margin: 1.25rem 0 .5rem; font-size: 1rem; }}
article {{ border-top: 1px solid {RULE}; }}
article:first-of-type {{ border-top: 0; }}
.violated {{ color: {VIOLATED}; }}
.possibly {{ color: {POSSIBLY}; }}
.quiet {{ color: {QUIET}; }}
.note {{ color: {MUTED}; }}
p, ul {{ margin: .25rem 0 .5rem; }}
h1, h3, p, li {{ overflow-wrap: anywhere; }}
ul {{ padding-left: 1.25rem; }}
figure, .wide {{ margin: .5rem 0; overflow-x: auto; }}
figcaption {{ color: {MUTED}; font-size: .875rem; }}
figure svg {{ display: block; width: 100%; height: auto; }}
.charts {{ display: flex; flex-wrap: wrap; gap: 1rem; }}
.charts figure {{ flex: 1 1 20rem; max-width: 26rem; }}
.plots {{ display: flex; flex-wrap: wrap; gap: 1rem 2rem; }}
.plots figure {{ flex: 0 1 auto; max-width: 100%; }}
summary {{ cursor: pointer; margin: 1.25rem 0 .5rem; font-weight: 600; }}
table {{ border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }}
th, td {{ text-align: left; vertical-align: top; padding: .3rem .9rem .3rem 0;
  border-bottom: 1px solid {RULE}; }}
td {{ overflow-wrap: break-word; }}
th {{ font-weight: 600; }}
.facts th {{ color: {MUTED}; font-weight: 400; white-space: nowrap; }}
@media print {{
  body {{ background: {PAPER}; font-size: 11pt; }}
  main, header, section {{ padding: 0; max-width: none; }}
  header {{ padding-left: .75rem; }}
  figure, .wide {{ overflow: visible; }}
  .picture {{ min-width: 0 !important; }}
  figure, tr {{ break-inside: avoid; }}
}}
"""
