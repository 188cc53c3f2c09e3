// The sizing page while it is used: the slider, the address, and the answer fetched as it changes.
// Everything here can be done without it: the form is a plain GET.
"use strict";
(function () {
  const form = document.getElementById("form");
  const root = document.documentElement;
  const GPUS_FEWEST = 8;
  const GPUS_MOST = 1048576;
  const STEPS = 100; // slider steps per doubling, as in slider.py
  const PAUSE_MS = 70;

  // ---- theme ----------------------------------------------------------------------------------------------------
  const themeButton = document.getElementById("theme");
  const THEMES = ["system", "light", "dark"];
  function showTheme() {
    const now = root.dataset.theme || "system";
    themeButton.querySelector("span").textContent = now;
    themeButton.setAttribute("aria-label", "Theme: " + now + ", press to change");
  }
  themeButton.hidden = false;
  themeButton.addEventListener("click", function () {
    const next = THEMES[(THEMES.indexOf(root.dataset.theme || "system") + 1) % THEMES.length];
    if (next === "system") {
      delete root.dataset.theme;
    } else {
      root.dataset.theme = next;
    }
    try {
      localStorage.setItem("asbuilt-theme", next);
    } catch (_) {
      // Not kept; the choice holds for this page.
    }
    showTheme();
  });
  showTheme();
  if (!form) {
    return;
  }

  // ---- the state and the address --------------------------------------------------------------------------------
  function state() {
    const parameters = new URLSearchParams();
    for (const [key, value] of new FormData(form)) {
      if (String(value).trim() !== "") {
        parameters.append(key, String(value).trim().replace(/,/g, ""));
      }
    }
    return parameters;
  }

  let asked = null; // the request under way
  let timer = 0;
  let last = 0;
  let count = 0;

  function ask() {
    // Throttled, not debounced: while one drags, an answer appears about every PAUSE_MS.
    if (timer) {
      return;
    }
    timer = setTimeout(send, Math.max(0, last + PAUSE_MS - performance.now()));
  }

  async function send() {
    timer = 0;
    last = performance.now();
    if (asked) {
      asked.abort();
    }
    const mine = (asked = new AbortController());
    const number = ++count;
    const query = state().toString();
    history.replaceState(null, "", "/size?" + query);
    root.classList.add("asking");
    try {
      const response = await fetch("/size/fragment?" + query, { signal: mine.signal, headers: { Accept: "text/html" } });
      const text = await response.text();
      if (number === count) {
        take(text);
      }
    } catch (error) {
      if (error.name !== "AbortError") {
        say("The server does not answer. The figures shown are those of the last answer.");
        root.classList.add("stale");
      }
    } finally {
      if (number === count) {
        asked = null;
        root.classList.remove("asking");
      }
    }
  }

  function take(text) {
    const fresh = new DOMParser().parseFromString(text, "text/html");
    const open = new Set(Array.from(document.querySelectorAll("#answer details[open]"), (d) => d.id));
    const active = document.activeElement;
    const held = active && active.closest("#answer details") ? active.closest("details").id : "";
    for (const piece of fresh.querySelectorAll("[data-into]")) {
      const into = document.getElementById(piece.dataset.into);
      if (!into) {
        continue;
      }
      if (piece.dataset.into === "said") {
        say(piece.textContent);
      } else if (piece.dataset.into === "json") {
        into.href = piece.getAttribute("href");
      } else if (piece.dataset.into === "answer") {
        into.innerHTML = piece.innerHTML;
      } else if (!into.contains(document.activeElement)) {
        into.innerHTML = piece.innerHTML;
        if (piece.hasAttribute("height")) {
          into.setAttribute("height", piece.getAttribute("height"));
        }
      }
    }
    for (const id of open) {
      const details = document.getElementById(id);
      if (details) {
        details.open = true;
      }
    }
    if (held && document.getElementById(held)) {
      document.getElementById(held).querySelector("summary").focus({ preventScroll: true });
    }
    root.classList.remove("stale");
  }

  let saying = 0;
  function say(text) {
    // Spoken once the hand rests, so that a screen reader is not flooded while dragging.
    clearTimeout(saying);
    saying = setTimeout(() => {
      document.getElementById("said").textContent = text;
    }, 500);
  }

  // ---- slider and number ----------------------------------------------------------------------------------------
  function sideOf(element) {
    return element.closest("fieldset").dataset.side;
  }
  function part(name, side) {
    return document.getElementById(name + "-" + side);
  }
  function unit(side) {
    return Number(form.querySelector('fieldset[data-side="' + side + '"]').dataset.unit) || 8;
  }
  function whole(gpus, side) {
    const step = unit(side);
    const most = Math.floor(GPUS_MOST / step) * step;
    return Math.min(most, Math.max(Math.ceil(GPUS_FEWEST / step) * step, Math.round(gpus / step) * step));
  }
  function place(gpus) {
    return Math.round(Math.log2(gpus / GPUS_FEWEST) * STEPS);
  }
  function show(side, gpus, moveSlider) {
    const words = gpus.toLocaleString("en-GB");
    part("gpus", side).value = words;
    part("gpus", side).removeAttribute("aria-invalid");
    const slide = part("slide", side);
    if (moveSlider) {
      slide.value = place(gpus);
    }
    slide.setAttribute("aria-valuetext", words + " GPUs");
  }
  function typed(side) {
    const text = part("gpus", side).value.replace(/[,\s_]/g, "");
    return /^\d+$/.test(text) ? Number(text) : NaN;
  }
  function key(event) {
    // Arrows move by whole servers or racks, and faster where counts are large; the browser's own step would not.
    const side = sideOf(event.target);
    const now = whole(typed(side) || GPUS_FEWEST, side);
    const small = Math.max(unit(side), Math.round(now / 16 / unit(side)) * unit(side));
    const moves = {
      ArrowRight: now + small, ArrowUp: now + small, ArrowLeft: now - small, ArrowDown: now - small,
      PageUp: now * 2, PageDown: now / 2, Home: GPUS_FEWEST, End: GPUS_MOST,
    };
    if (event.key in moves) {
      event.preventDefault();
      show(side, whole(moves[event.key], side), true);
      ask();
    }
  }
  for (const fieldset of form.querySelectorAll("fieldset[data-side]")) {
    const side = fieldset.dataset.side;
    const slide = part("slide", side);
    slide.hidden = false;
    slide.addEventListener("input", function () {
      show(side, whole(GPUS_FEWEST * Math.pow(2, slide.value / STEPS), side), false);
      ask();
    });
    slide.addEventListener("keydown", key);
    part("gpus", side).addEventListener("input", function () {
      const gpus = typed(side);
      if (gpus >= GPUS_FEWEST && gpus <= GPUS_MOST) {
        slide.value = place(gpus);
        slide.setAttribute("aria-valuetext", gpus.toLocaleString("en-GB") + " GPUs");
        part("gpus", side).removeAttribute("aria-invalid");
      } else {
        part("gpus", side).setAttribute("aria-invalid", "true");
      }
    });
  }

  form.addEventListener("submit", function (event) {
    event.preventDefault();
    ask();
  });
  form.addEventListener("input", function (event) {
    if (event.target.type !== "range" && !/^system-/.test(event.target.id)) {
      ask();
    }
  });
  form.addEventListener("change", function (event) {
    const id = event.target.id;
    if (id === "system-b" || id === "system-a") {
      // Other fabrics, another unit, another number of columns: the page is built anew from its address.
      const parameters = state();
      parameters.delete(id === "system-b" ? "bf" : "af");
      if (!parameters.get("b")) {
        parameters.delete("bn");
        parameters.delete("bf");
      }
      location.assign("/size?" + parameters.toString());
    }
  });
  document.getElementById("answer").addEventListener("click", function (event) {
    const link = event.target.closest("a[data-jump]");
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      show(link.dataset.side, whole(Number(link.dataset.jump), link.dataset.side), true);
      ask();
    }
  });
})();
