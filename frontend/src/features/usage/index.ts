export { UsagePanel } from './usage-panel.tsx';
