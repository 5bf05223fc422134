// The list of runs, page by page, kept live by the account's stream of events, and the form that starts one.

import { call, follow } from "/assets/api.js";
import { busy, el, fill, statusMark, statuses, time, title, toast } from "/assets/dom.js";

export async function showRuns(view, signal, setLive) {
  const runs = new Map();
  let nextCursor = null;
  const list = el("ul", { class: "runs", "aria-label": "Runs" });
  const filter = el("select", { id: "filter", onchange: () => again().catch((fault) => toast(fault.message)) },
    el("option", { value: "" }, "all"),
    statuses.map(([value, words]) => el("option", { value }, words)));
  const tools = el("div", { class: "tools" }, el("h1", {}, "Runs"), el("div", {}, el("label", { for: "filter" }, "Show"), filter));
  const more = el("button", { type: "button", class: "plain" }, "Older runs");
  more.addEventListener("click", busy(more, () => load(nextCursor)));
  const end = el("div", { class: "actions" }, more);
  fill(view, [newRun(), tools, list, end]);

  function render() {
    const shown = [...runs.values()]
      .filter((run) => !filter.value || run.status === filter.value)
      .sort((a, b) => (a.id < b.id ? 1 : -1));
    const none = nextCursor ? "None among the runs so far." : "No runs here yet.";
    fill(list, shown.length ? shown.map(row) : [el("li", { class: "soft" }, none)]);
    end.hidden = !nextCursor;
    const waiting = [...runs.values()].filter((run) => run.status === "waiting_for_human").length;
    title(waiting ? `${waiting} waiting for you` : null, "Runs");
  }

  // The server looks for the status: a run that waits may be far down the list.
  async function page(cursor) {
    const query = new URLSearchParams();
    if (filter.value) query.set("status", filter.value);
    if (cursor) query.set("cursor", cursor);
    return call("GET", `/v1/browser/runs${query.size ? `?${query}` : ""}`);
  }

  async function load(cursor) {
    const asked = filter.value;
    const found = await page(cursor);
    if (signal.aborted || asked !== filter.value) return;
    for (const run of found.data) runs.set(run.id, run);
    nextCursor = found.next_cursor;
    render();
  }

  async function again() {
    runs.clear();
    nextCursor = null;
    await load(null);
  }

  // After a break in the stream: what is new, and the newest of what is shown. Older pages stay.
  async function catchUp() {
    const asked = filter.value;
    const found = await page(null);
    if (signal.aborted || asked !== filter.value) return;
    for (const run of found.data) runs.set(run.id, run);
    render();
  }

  // Many events in a row make one look at each run.
  const changed = new Set();
  let timer = null;
  async function refresh() {
    timer = null;
    const ids = [...changed];
    changed.clear();
    await Promise.all(ids.map(async (id) => {
      const run = await call("GET", `/v1/browser/runs/${id}`).catch(() => null);
      if (run) runs.set(id, run);
      else runs.delete(id);
    }));
    if (!signal.aborted) render();
  }
  function onEvent(event) {
    const known = runs.get(event.run_id);
    if (known && event.status) known.status = event.status;
    changed.add(event.run_id);
    timer ??= setTimeout(refresh, 250);
  }
  signal.addEventListener("abort", () => clearTimeout(timer));

  await load(null);
  await follow("/v1/events", { signal, onEvent, onState: (state) => { setLive(state); if (state === "on") catchUp().catch(() => {}); } });
}

function row(run) {
  return el("li", {}, el("a", { href: `#/runs/${run.id}` },
    el("span", { class: "goal" }, run.goal),
    statusMark(run.status),
    el("span", { class: "meta small soft" },
      el("span", {}, time(run.created_at)),
      el("span", {}, `${run.steps} of ${run.max_steps} steps`),
      el("span", {}, host(run.current_url ?? run.start_url)),
      run.error ? el("span", {}, run.error) : null)));
}

function host(url) {
  try {
    return new URL(url).host;
  } catch {
    return "";
  }
}

function newRun() {
  const goal = el("textarea", { id: "goal", rows: 2, required: true, maxlength: 10000, placeholder: "What should be done, in plain words" });
  const startUrl = el("input", { id: "start-url", type: "url", required: true, placeholder: "https://" });
  const mode = select("mode", ["fast", "precise"]);
  const approve = select("approve", ["risky", "always", "never"]);
  const button = el("button", { type: "submit" }, "Start");
  const start = busy(button, async () => {
    const run = await call("POST", "/v1/browser/runs", {
      goal: goal.value, start_url: startUrl.value.trim(), mode: mode.value, approve: approve.value,
    });
    toast("Started.");
    location.hash = `#/runs/${run.id}`;
  });
  const form = el("form", { class: "new-run", onsubmit: start },
    el("div", {}, el("label", { for: "goal" }, "Goal"), goal),
    el("div", { class: "row" },
      el("div", {}, el("label", { for: "start-url" }, "Start at"), startUrl),
      el("div", {}, el("label", { for: "mode" }, "Mode"), mode),
      el("div", {}, el("label", { for: "approve" }, "Ask before actions"), approve)),
    el("div", { class: "actions" }, button));
  return el("details", { class: "card" }, el("summary", {}, "New run"), form);
}

function select(id, values) {
  return el("select", { id }, values.map((value) => el("option", { value }, value)));
}

