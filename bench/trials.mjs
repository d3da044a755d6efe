export const TRIALS = {};
