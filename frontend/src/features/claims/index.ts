// What the first load of the chat needs is small; everything else is loaded when it is first shown.

export { CheckButton, ClaimsSummary, ReplyText } from './lazy.tsx';
