export { Check } from './check.tsx';
export { MarkedText } from './marked-text.tsx';
export { Panel } from './panel.tsx';
export { Summary } from './summary.tsx';
