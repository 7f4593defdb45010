/**
 * Server-sent events over fetch (EventSource cannot POST).
 * @typedef {{event: string, data: any}} ServerEvent
 */

/** Turns text that may be split anywhere into whole events. */
export class EventParser {
  #rest = '';

  /** @param {string} text @returns {ServerEvent[]} the events completed by this piece */
  feed(text) {
    this.#rest += text;
    // A trailing CR may be half of CRLF: leave it until the next piece tells.
    const held = this.#rest.endsWith('\r') ? '\r' : '';
    const clean = this.#rest.slice(0, this.#rest.length - held.length).replace(/\r\n?/g, '\n');
    const blocks = clean.split('\n\n');
    this.#rest = blocks.pop() + held;
    return blocks.map(parseBlock).filter((event) => event !== null);
  }
}

/**
 * @param {Response} response
 * @returns {AsyncGenerator<ServerEvent>} ends when the stream does; throws when it breaks
 */
export async function* readEvents(response) {
  if (!response.body) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder(); // streaming: a character may be split too
  const parser = new EventParser();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      yield* parser.feed(decoder.decode(value, { stream: true }));
    }
    yield* parser.feed(`${decoder.decode()}\n\n`);
  } finally {
    // Also reached when the caller stops listening early: the server then frees the model.
    reader.cancel().catch(() => {});
  }
}

/** @param {string} block @returns {ServerEvent|null} null for comments and empty blocks */
function parseBlock(block) {
  let event = 'message';
  const data = [];
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') event = value;
    if (field === 'data') data.push(value);
  }
  return data.length ? { event, data: JSON.parse(data.join('\n')) } : null;
}
