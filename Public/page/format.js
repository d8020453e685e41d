const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** `500,000,000`. */
export function wholeNumber(number) {
  return grouped.format(number);
}

/** `1.2B`, three significant digits. */
export function roughNumber(number) {
  return compact.format(number);
}

/** `7 ms`, `0.4 s`, `12.3 s`, `3 min 05 s`, `2 h 07 min`. */
export function duration(milliseconds) {
  if (milliseconds < 100) return `${Math.max(0, Math.round(milliseconds))} ms`;
  const seconds = milliseconds / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${twoDigits(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`;
}

/** `42.0 %`, rounded down so that 100 % means done. */
export function percentage(fraction) {
  return `${(Math.floor(Math.min(Math.max(fraction, 0), 1) * 1_000) / 10).toFixed(1)} %`;
}

/** The local time of day of an RFC 3339 time. */
export function timeOfDay(time) {
  return clock.format(new Date(time));
}

/** The end of a UUID: the beginning of a UUIDv7 is its time, alike for neighbours. */
export function shortID(id) {
  return id.slice(-8);
}

function twoDigits(number) {
  return String(Math.floor(number)).padStart(2, "0");
}
