// Runs in a page when it is laid out. Rectangles are in CSS pixels; a little is forgiven, since
// glyphs do not fill their boxes.
window.addEventListener("load", () => setTimeout(() => {
  const FORGIVEN = 1.0;
  const found = { width: innerWidth, too_wide: [], cut_off: [], overlaps: [], faint: [],
                  requests: [], unreachable: [], focus: [] };
  const pictures = document.body.className === "pictures";
  const words = (text) => JSON.stringify(text.trim().slice(0, 60));

  const part = (c) => ((c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const rgb = (text) => text.match(/[\d.]+/g).map(Number);

  // The page itself never scrolls sideways, and no text leaves its box.
  if (!pictures) {
    const root = document.documentElement;
    if (root.scrollWidth > innerWidth)
      found.too_wide.push(`the page is ${root.scrollWidth} wide in a window of ${innerWidth}`);
    for (const one of document.querySelectorAll("main *")) {
      if (one.closest("svg, .wide, .scroll") || one.closest("details:not([open])")) continue;
      const box = one.getBoundingClientRect();
      if (box.width && (box.right > innerWidth + FORGIVEN || box.left < -FORGIVEN))
        found.too_wide.push(`${one.tagName} ${words(one.textContent)} ends at ${box.right}`);
    }
  }

  // Text in pictures: on the canvas, and not on other text.
  for (const svg of document.querySelectorAll("svg")) {
    const name = svg.closest("[data-name]")?.dataset.name ?? svg.getAttribute("aria-label");
    const canvas = svg.viewBox.baseVal;
    const texts = [...svg.querySelectorAll("text")].filter((one) => one.textContent.trim())
      .map((one) => ({ content: one.textContent, box: one.getBBox(),
                       size: parseFloat(one.getAttribute("font-size")) }));
    for (const { content, box } of texts)
      if (box.x < -FORGIVEN || box.y < -FORGIVEN || box.x + box.width > canvas.width + FORGIVEN ||
          box.y + box.height > canvas.height + FORGIVEN)
        found.cut_off.push(`${name}: ${words(content)} leaves the canvas`);
    // Of a line box only the part between the tops of capitals and the baseline is ink.
    const inked = texts.map(({ content, box, size }) => ({ content, left: box.x + 1,
      right: box.x + box.width - 1, top: box.y + box.height / 2 - 0.38 * size,
      bottom: box.y + box.height / 2 + 0.38 * size })).sort((a, b) => a.top - b.top);
    for (let i = 0; i < inked.length; i++)
      for (let j = i + 1; j < inked.length && inked[j].top < inked[i].bottom; j++)
        if (inked[i].left < inked[j].right && inked[j].left < inked[i].right)
          found.overlaps.push(`${name}: ${words(inked[i].content)} and ${words(inked[j].content)}`);
  }

  // What matters most of a picture that scrolls is in sight.
  for (const one of document.querySelectorAll(".picture i")) {
    const x = one.getBoundingClientRect().left;
    found.focus.push(0 <= x && x <= innerWidth);
  }

  // Names at the left edge of a picture are in sight however far it is scrolled, and legends are.
  for (const one of document.querySelectorAll(".names text, .legend li")) {
    if (one.closest("details:not([open])")) continue;
    const box = one.getBoundingClientRect();
    if (box.left < -FORGIVEN || box.right > innerWidth + FORGIVEN)
      found.cut_off.push(`${words(one.textContent)} is at ${box.left} to ${box.right}`);
  }

  // Whatever scrolls by itself can be reached by the keyboard, and has a name.
  for (const one of document.querySelectorAll("main *")) {
    const scrolls = /auto|scroll/.test(getComputedStyle(one).overflowX) &&
      one.scrollWidth > one.clientWidth;
    if (scrolls && (one.tabIndex < 0 || !one.getAttribute("aria-label")))
      found.unreachable.push(`${one.className} ${words(one.textContent)}`);
  }

  // Marks that carry meaning, and text in pictures, against the paper of their picture.
  for (const svg of document.querySelectorAll("svg")) {
    const paper = svg.querySelector("rect");
    if (!paper) continue;
    const ground = getComputedStyle(paper).fill;
    const marks = [["text", "fill", 4.5], ["circle", "stroke", 3], ["polygon", "fill", 3]];
    for (const [kind, property, least] of marks)
      for (const one of svg.querySelectorAll(kind)) {
        const colour = getComputedStyle(one)[property];
        if (colour === "none" || colour === ground) continue;  // letters within marks
        const [a, b] = [light(rgb(colour)), light(rgb(ground))];
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (contrast < least)
          found.faint.push(`${kind} ${words(one.textContent)} ${colour}: ${contrast.toFixed(2)}`);
      }
  }

  // Text against what is behind it: the least contrast that WCAG asks for.
  const behind = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const colour = rgb(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  for (const one of document.querySelectorAll(
    "main h1, main h2, main h3, main p, main li, main td, main th, main a, main summary")) {
    const [a, b] = [light(rgb(getComputedStyle(one).color)), light(behind(one))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5)
      found.faint.push(`${one.tagName} ${words(one.textContent)}: contrast ${contrast.toFixed(1)}`);
  }

  found.requests = performance.getEntriesByType("resource").map((one) => `asks for ${one.name}`);
  const left = document.createElement("pre");
  left.id = "measured";
  left.textContent = JSON.stringify(found);
  if (parent === window) document.body.append(left);
  else parent.postMessage(left.textContent, "*");
}, 100));
