(function () {
  "use strict";
  var said = document.getElementById("said");
  copyButtons(said);
  // Rows in which nothing needs a look can be hidden; in a long table they are at first.
  var only = document.getElementById("only"), calm = document.querySelectorAll("tr.calm");
  function show(all) { calm.forEach(function (row) { row.hidden = !all; }); }
  if (only) {
    only.parentElement.hidden = false;
    only.checked = only.hasAttribute("data-long");
    show(!only.checked);
    only.addEventListener("change", function () {
      show(!only.checked);
      said.textContent = only.checked ? calm.length + " rows hidden" : "all rows shown";
    });
  }
  // Who follows a link to what is folded wants to see it.
  function unfold() {
    var at = document.getElementById(location.hash.slice(1)), rest = at && (at.querySelector("details.rest") || at.closest("details"));
    if (rest && !rest.open) {
      rest.open = true;
      at.scrollIntoView();
    }
  }
  window.addEventListener("hashchange", unfold);
  unfold();
  // Paper cannot be opened: print what is folded and hidden, but for what was told before.
  window.addEventListener("beforeprint", function () {
    show(true);
    document.querySelectorAll("details:not(.rest):not(.window)").forEach(function (d) { d.open = true; });
  });
  window.addEventListener("afterprint", function () { show(!only || !only.checked); });
})();
