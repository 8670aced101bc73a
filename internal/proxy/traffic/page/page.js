(function () {
  "use strict";
  var said = document.getElementById("said");
  // A button beside what is there to be copied.
  function copies() {
    if (navigator.clipboard) document.querySelectorAll("pre[data-copy]").forEach(function (pre) {
      var button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "Copy";
      button.addEventListener("click", function () {
        navigator.clipboard.writeText(pre.textContent).then(function () {
          button.textContent = "Copied";
          said.textContent = "Copied";
        }, function () { said.textContent = "Could not be copied"; });
      });
      var box = document.createElement("div");
      box.className = "copybox";
      pre.replaceWith(box);
      box.append(pre, button);
    });
  }
  copies();
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
    copies();
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
