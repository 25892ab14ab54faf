/** Time as it was before a test began to fake it. */

export const { setTimeout, clearTimeout, setImmediate } = globalThis;
/** In milliseconds, from some beginning. */
export const now: () => number = performance.now.bind(performance);
