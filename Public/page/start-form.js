import { named, setText } from "./dom.js";
import { wholeNumber } from "./format.js";

/** The calculator's form. It checks only that numbers are numbers; their bounds are the server's matter. */
export class StartForm {
  #onStart;
  #form = named("start-form");
  #terms = named("terms");
  #checkEvery = named("check-every");

  /** @param {(request: {input: object, onConflict: string, cancelOnLeave: boolean}) => void} onStart */
  constructor(onStart) {
    this.#onStart = onStart;
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#form.addEventListener("input", () => this.#showTermsHint());
    for (const preset of this.#form.querySelectorAll("[data-terms]")) {
      preset.addEventListener("click", () => {
        this.#terms.value = preset.dataset.terms;
        this.#clearErrors();
        // Bubbles, so that whoever shows the input (the hint, the curl lines) notices.
        this.#terms.dispatchEvent(new Event("input", { bubbles: true }));
      });
    }
    this.#showTermsHint();
  }

  /** What would be sent, `null` if a field isn't a whole number. */
  get input() {
    const terms = readWholeNumber(this.#terms.value);
    const isDefault = this.#checkEvery.value.trim() === "";
    const checkEvery = isDefault ? undefined : readWholeNumber(this.#checkEvery.value);
    return terms === null || checkEvery === null ? null : { terms, checkEvery };
  }

  focus() {
    this.#terms.focus();
  }

  /** @param {{isLive: boolean}} state */
  show({ isLive }) {
    setText(named("start"), isLive ? "Start again" : "Start");
    this.#form.dataset.live = isLive;
  }

  /**
   * Puts a refusal beside the field that it is about.
   *
   * @returns {boolean} whether the error is about one of the fields
   */
  showFieldError(error) {
    const input = { terms: this.#terms, checkEvery: this.#checkEvery }[error.field];
    if (input === undefined) return false;
    this.#showError(input, error.message);
    return true;
  }

  #submit() {
    this.#clearErrors();
    const { input } = this;
    if (input === null) {
      const culprit = readWholeNumber(this.#terms.value) === null ? this.#terms : this.#checkEvery;
      this.#showError(culprit, "A whole number, please, such as 500000000.");
      return;
    }
    this.#onStart({
      input,
      onConflict: named("on-conflict").value,
      cancelOnLeave: named("cancel-on-leave").checked,
    });
  }

  #showTermsHint() {
    const terms = readWholeNumber(this.#terms.value);
    setText(named("terms-hint"), terms === null ? "" : `${wholeNumber(terms)} terms`);
  }

  #showError(input, text) {
    input.closest("details")?.setAttribute("open", "");
    input.setAttribute("aria-invalid", "true");
    setText(errorOf(input), text);
    input.focus();
  }

  #clearErrors() {
    for (const input of [this.#terms, this.#checkEvery]) {
      input.removeAttribute("aria-invalid");
      setText(errorOf(input), "");
    }
  }
}

function errorOf(input) {
  return named(`${input.dataset.testid}-error`);
}

/** A BigInt, because the server takes 64-bit integers; digits may be grouped. `null` if it isn't one. */
function readWholeNumber(text) {
  const digits = text.replace(/[\s,_']/g, "");
  return /^[-+]?[0-9]{1,40}$/.test(digits) ? BigInt(digits.replace("+", "")) : null;
}
