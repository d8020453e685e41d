/**
 * The element with this `data-testid`. The page and its tests name elements alike.
 *
 * @param {string} testID
 * @param {ParentNode} [root]
 * @returns {HTMLElement}
 */
export function named(testID, root = document) {
  return root.querySelector(`[data-testid="${testID}"]`);
}

/** Writes text only if it changed: a live region must not repeat itself, a selection must not vanish. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Disables a button without dropping the keyboard's focus to the top of the page: the focus moves on to
 * the button that takes over.
 *
 * @param {HTMLButtonElement} button
 * @param {boolean} isDisabled
 * @param {HTMLButtonElement} [successor]
 */
export function setDisabled(button, isDisabled, successor) {
  const hadFocus = isDisabled && document.activeElement === button;
  button.disabled = isDisabled;
  if (hadFocus && successor && !successor.disabled) successor.focus();
}

/** Tells assistive technology what happened. For discrete events only: a ticking value isn't news. */
export function announce(text) {
  named("announcer").textContent = text;
}

/** Clones the first element of a `<template>`. */
export function fromTemplate(id) {
  return document.getElementById(id).content.firstElementChild.cloneNode(true);
}
