// The chosen theme, before the first paint. Without a choice the system decides.
"use strict";
(function () {
  let chosen = null;
  try {
    chosen = localStorage.getItem("asbuilt-theme");
  } catch (_) {
    // Storage may be forbidden; the page then follows the system.
  }
  if (chosen === "light" || chosen === "dark") {
    document.documentElement.dataset.theme = chosen;
  }
})();
