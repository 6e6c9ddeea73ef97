export { MemoryChip } from './lazy.tsx';
