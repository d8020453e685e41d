/**
 * JSON that keeps whole numbers exact. A Swift `Int` reaches 9223372036854775807; a JavaScript number is
 * exact only up to 9007199254740991, so integers beyond that are BigInts here.
 */

const wholeNumber = /^-?[0-9]+$/;

/**
 * Reads JSON; a whole number that a JavaScript number can't hold becomes a BigInt. Engines without the
 * reviver's source text (before Chrome 114, Safari 18.4, Firefox 135) round it instead.
 *
 * @param {string} text
 * @returns {unknown}
 * @throws {SyntaxError}
 */
export function decodeJSON(text) {
  return JSON.parse(text, (_, value, context) => {
    if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
    const source = context?.source;
    return source !== undefined && wholeNumber.test(source) ? BigInt(source) : value;
  });
}

/**
 * Writes JSON; a BigInt is written as its digits.
 *
 * @param {unknown} value null, booleans, numbers, BigInts, strings, and arrays and plain objects of them;
 *   members that are `undefined` are left out
 * @returns {string}
 */
export function encodeJSON(value) {
  if (typeof value === "bigint") return value.toString();
  if (Array.isArray(value)) return `[${value.map((element) => encodeJSON(element ?? null)).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => `${JSON.stringify(name)}:${encodeJSON(member)}`);
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(value);
}
