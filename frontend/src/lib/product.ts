/** One line, under the eye mark. */
export const TAGLINE = 'Ask once. See further.';
