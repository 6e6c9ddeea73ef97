import '../../src/ui/theme.css';
import { createRoot } from 'react-dom/client';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';

const plugins = [remarkGfm];

/** The baseline of the measurement. */
const variants = {
  plain: (text: string) => <ReactMarkdown remarkPlugins={plugins}>{text}</ReactMarkdown>,
  pre: (text: string) => <pre style={{ whiteSpace: 'pre-wrap' }}>{text}</pre>,
};

interface Stretch {
  variant: keyof typeof variants;
  text: string;
  from: number;
  to: number;
  frameChars: number;
  frameMs: number;
}

let root: ReturnType<typeof createRoot> | undefined;
let longTasks: number[] = [];
new PerformanceObserver((list) => {
  longTasks.push(...list.getEntries().map((entry) => entry.duration));
}).observe({ type: 'longtask' });

const bench = {
  /** Removes everything from the page. */
  reset() {
    root?.unmount();
    const place = document.getElementById('root');
    if (!place) throw new Error('index.html has no #root');
    root = createRoot(place);
    longTasks = [];
  },

  /** Lets a text grow from one length to another, a chunk at a time; resolves after the last one. */
  stream({ variant, text, from, to, frameChars, frameMs }: Stretch): Promise<void> {
    let end = from;
    return new Promise((resolve) => {
      const timer = setInterval(() => {
        end = Math.min(to, end + frameChars);
        root?.render(variants[variant](text.slice(0, end)));
        if (end < to) return;
        clearInterval(timer);
        requestAnimationFrame(() => setTimeout(resolve));
      }, frameMs);
    });
  },

  /** Milliseconds of every task over 50 ms since the page was emptied. */
  longTasks: () => longTasks,
};

declare global {
  interface Window {
    bench: typeof bench;
  }
}
window.bench = bench;
