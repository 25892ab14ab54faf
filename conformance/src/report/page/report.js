// Shows the cases that the boxes and the words ask for; without it, all are shown.
"use strict";
const cases = [...document.querySelectorAll("details.case")];
const groups = [...document.querySelectorAll("section.group")];
const boxes = [...document.querySelectorAll("nav input[type=checkbox]")];
const search = document.querySelector("nav input[type=search]");
const shown = document.querySelector("#shown");

function filter() {
  const verdicts = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const one of cases) {
    const text = one.textContent.toLowerCase();
    one.hidden = !verdicts.has(one.dataset.verdict) || !words.every((word) => text.includes(word));
    count += one.hidden ? 0 : 1;
  }
  for (const group of groups) {
    group.hidden = !group.querySelector("details.case:not([hidden])");
  }
  shown.textContent = `${count} of ${cases.length} cases`;
}

// `?words=E-FRM` and `show=fail,pass` behind the address, so that a link shows what it is about.
function fill() {
  const asked = new URLSearchParams(location.search);
  if (asked.has("words")) search.value = asked.get("words");
  const show = asked.get("show")?.split(",");
  if (show) for (const box of boxes) box.checked = show.includes(box.value);
}

function openNamed() {
  const one = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (one) {
    one.hidden = false;
    one.open = true;
    one.scrollIntoView();
  }
}

for (const box of boxes) box.addEventListener("change", filter);
search.addEventListener("input", filter);
addEventListener("hashchange", openNamed);
fill();
filter();
openNamed();
