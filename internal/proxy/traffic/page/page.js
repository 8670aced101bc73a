(function () {
  "use strict";
  var said = document.getElementById("said");
  copyButtons(said);
  if (!document.body.hasAttribute("data-live")) return;
  // What changed is put in its place: what was opened stays open, and nothing moves
  // under who reads, selects or holds the focus.
  function busy() {
    var at = document.activeElement, chosen = getSelection();
    return document.hidden || !chosen.isCollapsed || (at && at !== document.body && document.getElementById("main").contains(at) && at.matches("pre, .copy"));
  }
  function swap(text) {
    var next = new DOMParser().parseFromString(text, "text/html");
    ["top", "main"].forEach(function (id) {
      var here = document.getElementById(id), there = next.getElementById(id);
      if (!here || !there) return;
      here.querySelectorAll("details[id]").forEach(function (d) {
        var twin = next.getElementById(d.id);
        if (twin) twin.open = d.open;
      });
      here.className = there.className;
      here.replaceChildren.apply(here, Array.from(there.childNodes));
    });
    document.title = next.title;
    copyButtons(said);
  }
  function beat(late) {
    var tag = document.getElementById("beat");
    if (!tag) return;
    tag.textContent = late ? "no answer from the proxy" : "live";
    tag.classList.toggle("late", late);
  }
  setInterval(function () {
    if (busy()) return;
    fetch(location.pathname, { cache: "no-store" }).then(function (r) {
      if (!r.ok) throw r.status;
      return r.text();
    }).then(function (text) { if (!busy()) swap(text); beat(false); }, function () { beat(true); });
  }, 5000);
})();
