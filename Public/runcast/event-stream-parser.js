import { decodeJSON } from "./json.js";

const lineEnd = /[\r\n]/g;

/** The stream broke a bound of the parser. */
export class EventStreamError extends Error {
  name = "EventStreamError";
}

/**
 * One event of a stream.
 *
 * @typedef {object} StreamEvent
 * @property {string} type         the `event:` field, `"message"` without one
 * @property {string} data         the `data:` lines joined by LF
 * @property {string} lastEventID  the id in force when the event was dispatched, maybe an earlier event's
 * @property {unknown} json        `data` read as JSON, `undefined` if it isn't JSON
 */

/**
 * Parses `text/event-stream` as it arrives (WHATWG HTML 9.2.5 and 9.2.6): UTF-8 with at most one byte
 * order mark; lines end with CR, LF or CRLF; an event that the end of the stream cuts off is discarded.
 *
 * Chunk boundaries carry no meaning: any split of the same bytes gives the same events.
 */
export class EventStreamParser {
  #decoder = new TextDecoder("utf-8");
  #maxEventLength;
  #partialLine = "";
  #afterCarriageReturn = false;
  #type = "";
  #dataLines = [];
  #dataLength = 0;
  #idBuffer;

  /** The last event ID (WHATWG), what a reconnect sends as `Last-Event-ID`; `""` if there is none. */
  lastEventID;

  /** The last `retry:` field in milliseconds, `undefined` before the first. */
  retryDelay;

  /**
   * @param {object} [options]
   * @param {string} [options.lastEventID] what an earlier connection ended with
   * @param {number} [options.maxEventLength] bound of one event and of one line, in UTF-16 code units
   */
  constructor({ lastEventID = "", maxEventLength = 8 * 1024 * 1024 } = {}) {
    this.lastEventID = lastEventID;
    this.#idBuffer = lastEventID;
    this.#maxEventLength = maxEventLength;
  }

  /**
   * Takes the next bytes and returns the events that they complete.
   *
   * @param {Uint8Array} bytes
   * @returns {StreamEvent[]}
   * @throws {EventStreamError} when an event or a line exceeds `maxEventLength`; the parser is then spent
   */
  push(bytes) {
    const text = this.#decoder.decode(bytes, { stream: true });
    const events = [];
    let start = 0;
    if (this.#afterCarriageReturn && text.length > 0) {
      this.#afterCarriageReturn = false;
      if (text[0] === "\n") start = 1;
    }
    while (start < text.length) {
      lineEnd.lastIndex = start;
      const end = lineEnd.exec(text)?.index ?? text.length;
      this.#partialLine += text.slice(start, end);
      this.#requireWithinBounds(this.#partialLine.length);
      if (end === text.length) break;

      start = end + 1;
      if (text[end] === "\r") {
        if (start === text.length) this.#afterCarriageReturn = true;
        else if (text[start] === "\n") start += 1;
      }
      const line = this.#partialLine;
      this.#partialLine = "";
      if (line === "") this.#dispatch(events);
      else this.#readField(line);
    }
    return events;
  }

  #readField(line) {
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const name = colon === -1 ? line : line.slice(0, colon);
    const rest = colon === -1 ? "" : line.slice(colon + 1);
    const value = rest.startsWith(" ") ? rest.slice(1) : rest;
    switch (name) {
      case "event":
        this.#type = value;
        break;
      case "data":
        this.#dataLength += value.length + 1;
        this.#requireWithinBounds(this.#dataLength);
        this.#dataLines.push(value);
        break;
      case "id":
        if (!value.includes("\0")) this.#idBuffer = value;
        break;
      case "retry":
        if (/^[0-9]+$/.test(value)) this.retryDelay = Number(value);
        break;
    }
  }

  #dispatch(events) {
    this.lastEventID = this.#idBuffer;
    const data = this.#dataLines.join("\n");
    // The standard drops an event whose data buffer is empty; a single empty `data` line leaves an LF in it.
    if (this.#dataLines.length > 0) {
      events.push(new ParsedEvent(this.#type || "message", data, this.lastEventID));
    }
    this.#type = "";
    this.#dataLines = [];
    this.#dataLength = 0;
  }

  #requireWithinBounds(length) {
    if (length > this.#maxEventLength) {
      throw new EventStreamError(`an event is longer than ${this.#maxEventLength} code units`);
    }
  }
}

class ParsedEvent {
  #json;
  #isRead = false;

  constructor(type, data, lastEventID) {
    this.type = type;
    this.data = data;
    this.lastEventID = lastEventID;
  }

  get json() {
    if (!this.#isRead) {
      this.#isRead = true;
      this.#json = decodeOrUndefined(this.data);
    }
    return this.#json;
  }
}

function decodeOrUndefined(text) {
  try {
    return decodeJSON(text);
  } catch {
    return undefined;
  }
}
