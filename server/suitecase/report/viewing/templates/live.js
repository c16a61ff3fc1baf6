"use strict";
(() => {
  // The page of a run that is not finished: shows what is new, without disturbing somebody who reads.
  const POLL = 1500;
  const seen = document.querySelector("meta[name=version]").content;
  const bar = document.createElement("p");
  bar.className = "note";
  bar.setAttribute("role", "status");
  const text = document.createElement("span"), button = document.createElement("button");
  button.type = "button";
  button.className = "all";
  button.textContent = "Show them";
  button.style.marginLeft = "12px";
  bar.append(text);
  document.querySelector("header").append(bar);
  const number = (value) => value.toLocaleString("en-US");
  let told = "";

  function say(what, offer) {
    if (told !== what) text.textContent = told = what;
    if (offer) bar.append(button); else button.remove();
    bar.hidden = !what;
  }

  // A case that is open, marked text and words that are being typed must not go away.
  function isReading() {
    const typing = document.activeElement && document.activeElement.matches("input[type=search], select");
    return typing || /[#&]open=/.test(location.hash) || String(getSelection());
  }

  async function renew() {
    const began = performance.now();
    const response = await fetch(location.pathname, { cache: "no-store" });
    if (!response.ok) return false;
    const page = await response.text(), top = scrollY;
    if (!bar.isConnected) return true;
    // Filters, search and order are in the address, and this keeps it.
    document.open();
    document.write(page);
    document.close();
    scrollTo(0, top);
    // A page of many cases is renewed less often, so that the browser has time for its user.
    self.suitecasePause = Math.max(POLL, 8 * (performance.now() - began));
    return true;
  }
  button.addEventListener("click", () => { history.replaceState(null, "", location.hash.replace(/([#&])open=[^&]*/, "$1")); renew(); });

  function progress(now) {
    const of = now.planned ? " of " + number(now.planned) : "";
    return now.state === "running" ? "Running: " + number(now.answers) + of + " answers so far."
      : now.state === "unfinished" ? "This run was stopped: it has " + number(now.answers) + of + " answers." : "";
  }

  async function look() {
    // The page was written anew: its own script looks on, if its run goes on.
    if (!bar.isConnected) return;
    let wait = POLL;
    if (document.visibilityState === "visible") {
      try {
        const response = await fetch(location.pathname + "/state?seen=" + (told ? seen : ""), { cache: "no-store" });
        if (response.status === 200) {
          const now = await response.json();
          const isNew = now.version !== seen;
          if (isNew && !isReading() && await renew()) return;  // the new page looks on
          say(progress(now) + (isNew ? " There are newer answers." : ""), isNew);
          wait = now.state === "running" ? POLL : 2 * POLL;
        } else if (!response.ok) {
          say("The results of this run are not there any more.");
          return;
        }
      } catch {
        say("`suitecase view` has ended, so this page is not up to date any more.");
        wait = 2 * POLL;
      }
    }
    setTimeout(look, wait);
  }

  setTimeout(look, self.suitecasePause || 0);
})();
