"use strict";
// Everything works without it: buttons that copy commands, and links that open what they lead to.
document.querySelectorAll("div.type").forEach(function (box) {
	var button = document.createElement("button");
	var code = box.querySelector("code");
	button.type = "button";
	button.textContent = "Copy";
	button.addEventListener("click", function () {
		var done = function () {
			button.textContent = "Copied";
			setTimeout(function () { button.textContent = "Copy"; }, 2000);
		};
		var select = function () {
			var range = document.createRange();
			range.selectNodeContents(code);
			getSelection().removeAllRanges();
			getSelection().addRange(range);
			if (document.execCommand("copy"))
				done();
		};
		if (navigator.clipboard)
			navigator.clipboard.writeText(code.textContent).then(done, select);
		else
			select();
	});
	box.insertBefore(button, box.lastChild);
});
function openTarget() {
	var target = location.hash && document.getElementById(location.hash.slice(1));
	for (var at = target; at; at = at.parentElement)
		if (at.tagName === "DETAILS")
			at.open = true;
	if (target)
		target.scrollIntoView();
}
addEventListener("hashchange", openTarget);
openTarget();
