// Asks axe-core about the page that both are in, and leaves what is serious, or worse.
window.addEventListener("load", async () => {
  let told;
  try {
    const { violations } = await axe.run(document, { resultTypes: ["violations"] });
    told = violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  } catch (error) {
    told = [`axe-core failed: ${error}`];
  }
  const left = document.createElement("pre");
  left.id = "measured";
  left.textContent = JSON.stringify(told);
  if (parent === window) document.body.append(left);
  else parent.postMessage(left.textContent, "*");
});
