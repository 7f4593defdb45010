/**
 * News of the documents: server events while they come, asking again every few seconds while
 * they do not. Events only hint; asking again now and then is the truth.
 */

/** How often to ask when no events come, and how often to make sure when they do. */
const POLL_MS = 4000;
const RECONCILE_MS = 30000;

export class Live {
  /** @type {EventSource|null} */
  #events = null;
  #timer = 0;
  #run = 0;
  #wanted = false;

  /**
   * @param {{document: (doc: any) => void, inbox: (inbox: any) => void,
   *   refresh: () => Promise<void>}} listener
   */
  constructor(listener) {
    this.listener = listener;
    document.addEventListener('visibilitychange', () => this.#adjust());
  }

  /** @param {boolean} wanted while the library is on screen */
  set wanted(wanted) {
    this.#wanted = wanted;
    this.#adjust();
  }

  // A browser holds six connections to one server: hidden tabs give theirs back.
  #adjust() {
    const needed = this.#wanted && !document.hidden;
    if (needed === (this.#events !== null)) return;
    if (needed) this.#start();
    else this.#stop();
  }

  #start() {
    this.#listen();
    this.#run += 1;
    this.#tick(this.#run);
  }

  #stop() {
    clearTimeout(this.#timer);
    this.#run += 1; // a tick that is waiting for its answer sees that it is no longer wanted
    this.#events?.close();
    this.#events = null;
  }

  #listen() {
    const events = new EventSource('/api/events');
    events.addEventListener('document', (event) => this.listener.document(JSON.parse(event.data)));
    events.addEventListener('inbox', (event) => this.listener.inbox(JSON.parse(event.data)));
    this.#events = events;
  }

  /** @param {number} run */
  async #tick(run) {
    await this.listener.refresh();
    if (run !== this.#run) return;
    // Closed for good means refused (a key may have come since): start over, at polling pace.
    if (this.#events?.readyState === EventSource.CLOSED) this.#listen();
    const flowing = this.#events?.readyState === EventSource.OPEN;
    this.#timer = setTimeout(() => this.#tick(run), flowing ? RECONCILE_MS : POLL_MS);
  }
}
