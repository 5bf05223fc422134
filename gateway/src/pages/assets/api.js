// Calls to the API with the key of this browser tab. Whatever comes back is data: it is shown as text, never as markup.

const KEY_PLACE = "errand-api-key";

export const key = {
  get: () => sessionStorage.getItem(KEY_PLACE),
  set: (value) => sessionStorage.setItem(KEY_PLACE, value),
  forget: () => sessionStorage.removeItem(KEY_PLACE),
};

export class ApiFault extends Error {
  constructor(status, error) {
    super(error?.message ?? `the server answered ${status}`);
    this.status = status;
    this.code = error?.code;
  }
}

async function send(path, options = {}) {
  const headers = { authorization: `Bearer ${key.get() ?? ""}`, ...options.headers };
  const response = await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit" });
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  throw new ApiFault(response.status, body?.error);
}

export async function call(method, path, body) {
  const options = { method };
  if (body !== undefined) {
    options.headers = { "content-type": "application/json" };
    options.body = JSON.stringify(body);
  }
  return (await send(path, options)).json();
}

export async function picture(path, signal) {
  return URL.createObjectURL(await (await send(path, { signal })).blob());
}

// Follows a stream of events until `signal` aborts, or until it ends and `again` says no. Resumes where it broke.
export async function follow(path, { signal, onEvent, onState = () => {}, again = () => true }) {
  let lastId = null;
  let pause = 500;
  while (!signal.aborted) {
    try {
      const headers = { accept: "text/event-stream" };
      if (lastId) headers["last-event-id"] = lastId;
      const response = await send(path, { headers, signal });
      onState("on");
      pause = 500;
      // Nothing will ever follow.
      if (response.status === 204) return;
      for await (const event of events(response.body)) {
        lastId = event.id ?? lastId;
        onEvent(event.data);
      }
    } catch (fault) {
      if (signal.aborted) return;
      if (fault instanceof ApiFault && fault.status < 500) throw fault;
    }
    if (signal.aborted || !again()) return;
    onState("retry");
    await new Promise((wake) => setTimeout(wake, pause));
    pause = Math.min(pause * 2, 10_000);
  }
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    let end;
    while ((end = text.indexOf("\n\n")) >= 0) {
      const event = parse(text.slice(0, end));
      text = text.slice(end + 2);
      if (event) yield event;
    }
  }
}

function parse(block) {
  const event = { id: null, data: "" };
  for (const line of block.split("\n")) {
    if (line.startsWith("id:")) event.id = line.slice(3).trim();
    if (line.startsWith("data:")) event.data += line.slice(5).trimStart();
  }
  return event.data ? { id: event.id, data: JSON.parse(event.data) } : null;
}
