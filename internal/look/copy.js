// A button beside what is there to be copied; said tells those who do not see it.
function copyButtons(said) {
  "use strict";
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
