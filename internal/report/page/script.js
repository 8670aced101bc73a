(function () {
  "use strict";
  var said = document.getElementById("said");
  // A button beside what is there to be copied.
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
  // Rows in which nothing needs a look can be hidden.
  var only = document.getElementById("only"), calm = document.querySelectorAll("tr.calm");
  if (only && calm.length) {
    only.parentElement.hidden = false;
    only.addEventListener("change", function () {
      calm.forEach(function (row) { row.hidden = only.checked; });
      said.textContent = only.checked ? calm.length + " rows hidden" : "all rows shown";
    });
  }
  // Paper can not be opened: print what is folded.
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details").forEach(function (d) { d.open = true; });
  });
})();
