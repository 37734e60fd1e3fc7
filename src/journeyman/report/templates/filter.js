"use strict";
// Comfort only: the page says all it has to say without this script.
(() => {
  const form = document.querySelector(".filter");
  const episodes = [...document.querySelectorAll(".episode")];
  const open = () => {
    const target = document.getElementById(location.hash.slice(1));
    const fold = target && target.closest("details");
    if (!fold) return;
    fold.hidden = false;
    fold.open = true;
    fold.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();
  if (!form) return;
  const [which, words, count] = ["which", "words", "count"].map((name) => form.elements[name]);
  const filter = () => {
    const wanted = words.value.toLowerCase();
    let shown = 0;
    for (const episode of episodes) {
      const fits = (which.value === "all" || episode.dataset.is.split(" ").includes(which.value))
        && episode.firstElementChild.textContent.toLowerCase().includes(wanted);
      episode.hidden = !fits;
      shown += fits;
    }
    count.value = `${shown} of ${episodes.length} shown`;
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  filter();
})();
