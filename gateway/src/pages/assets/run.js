// One run: its state, what it needs from a person, its story step by step, and what came out of it.

import { call, follow } from "/assets/api.js";
import { busy, el, fill, isFinal, link, statusMark, statusWords, time, title, toast } from "/assets/dom.js";
import { needsCard } from "/assets/needs.js";
import { Timeline } from "/assets/timeline.js";

export async function showRun(view, id, signal, setLive) {
  const base = `/v1/browser/runs/${id}`;
  const head = el("section", { class: "card head wide" });
  const needs = el("div");
  const result = el("div", { class: "side" });
  const timeline = new Timeline(base, signal);
  const story = el("section", { class: "card", "aria-label": "Timeline" }, el("h2", {}, "Timeline"), timeline.node);
  fill(view, [
    el("p", {}, el("a", { href: "#/" }, "← All runs")),
    el("div", { class: "run" }, head, el("div", { class: "story" }, needs, story), result),
  ]);

  let shownPause = null;
  let run = null;
  async function refresh() {
    run = await call("GET", base);
    if (signal.aborted) return;
    renderHead(head, run, base, refresh);
    title(statusWords(run.status), short(run.goal));
    const pause = run.needs?.pause ?? null;
    // What a person is typing must not be replaced by the same question.
    if (pause !== shownPause) {
      shownPause = pause;
      fill(needs, run.needs ? [needsCard(run, refresh, signal)] : []);
    }
    const deliveries = await call("GET", `${base}/deliveries`);
    if (!signal.aborted) renderResult(result, run, deliveries.data);
  }

  let timer = null;
  const soon = () => { timer ??= setTimeout(() => { timer = null; refresh().catch(() => {}); }, 150); };
  signal.addEventListener("abort", () => clearTimeout(timer));

  await refresh();
  await follow(`${base}/events`, {
    signal,
    onEvent: (event) => { timeline.add(event); soon(); },
    onState: setLive,
    again: () => !isFinal(run.status),
  });
  if (!signal.aborted) {
    setLive("done");
    await refresh();
  }
}

function short(goal) {
  return goal.length > 60 ? `${goal.slice(0, 59)}…` : goal;
}

function renderHead(head, run, base, refresh) {
  fill(head, [
    el("div", { class: "actions" }, statusMark(run.status), el("span", { class: "small soft mono" }, run.id), actions(run, base, refresh)),
    el("h1", { class: "goal" }, run.goal),
    run.error ? el("p", { class: "fault" }, run.error) : null,
    facts([
      ["Started at", link(run.start_url)],
      ["Now at", run.current_url ? link(run.current_url) : "—"],
      ["Steps", `${run.steps} of ${run.max_steps}`],
      ["Mode", run.mode],
      ["Model", run.model ?? "default"],
      ["Decisions", `${run.usage.decision_calls}, ${run.usage.llm_calls} by a model`],
      ["Created", time(run.created_at)],
      ["Finished", run.finished_at ? time(run.finished_at) : "—"],
      ["Ended because", run.terminal_reason ?? "—"],
      ["Cost", cost(run)],
    ]),
  ]);
}

function cost(run) {
  if (run.charge_usd !== null) return `$${run.charge_usd}`;
  return `up to $${run.reserved_usd}`;
}

function facts(pairs) {
  return el("dl", { class: "facts" }, pairs.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

function actions(run, base, refresh) {
  if (!isFinal(run.status)) {
    const stop = el("button", { class: "danger", type: "button" }, "Stop");
    stop.addEventListener("click", busy(stop, async () => {
      if (!confirm("Stop this run? It cannot be continued.")) return;
      await call("POST", `${base}/stop`);
      await refresh();
    }));
    return stop;
  }
  const remove = el("button", { class: "quiet", type: "button" }, "Delete for good");
  remove.addEventListener("click", busy(remove, async () => {
    if (!confirm("Delete this run with its pages, screenshots and data? This cannot be undone.")) return;
    await call("DELETE", base);
    toast("Deleted.");
    location.hash = "#/";
  }));
  return remove;
}

function renderResult(result, run, deliveries) {
  fill(result, [
    run.answer !== null ? section("Answer", el("p", { class: "answer" }, run.answer)) : null,
    run.data_error ? section("Data", el("p", { class: "fault" }, run.data_error)) : null,
    run.data !== null ? section("Data", el("pre", { tabindex: "0" }, JSON.stringify(run.data, null, 2)), sources(run.data_sources)) : null,
    deliveries.length ? section("Webhook deliveries", deliveryTable(deliveries)) : null,
    Object.keys(run.metadata ?? {}).length ? section("Metadata", facts(Object.entries(run.metadata))) : null,
  ]);
}

function section(title, ...content) {
  return el("section", { class: "card head" }, el("h2", {}, title), content);
}

function sources(found) {
  const entries = Object.entries(found ?? {});
  if (!entries.length) return null;
  const rows = entries.map(([pointer, source]) =>
    el("tr", {}, el("td", { class: "mono" }, pointer || "/"), el("td", {}, source.place), el("td", {}, link(source.url))));
  return el("details", {}, el("summary", {}, "Where each value stood"), table(["Value", "Place", "Page"], rows));
}

function deliveryTable(deliveries) {
  return table(["Event", "When", "Outcome", "Took"], deliveries.map((delivery) => el("tr", {},
    el("td", {}, delivery.event),
    el("td", {}, time(delivery.claimed_at)),
    el("td", {}, [delivery.outcome ?? "on its way", delivery.http_status, delivery.reason].filter(Boolean).join(" · ")),
    el("td", {}, delivery.duration_ms === null ? "—" : `${delivery.duration_ms} ms`))));
}

function table(names, rows) {
  const heads = names.map((name) => el("th", { scope: "col" }, name));
  return el("div", { class: "scroll", tabindex: "0" }, el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows)));
}
