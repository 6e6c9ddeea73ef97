import { cn } from './cn.ts';

// x, y and radius of each star, in the units of the view box. Placed by hand, away from the middle.
const STARS: [number, number, number][] = [
  [90, 120, 1.2],
  [210, 60, 0.8],
  [160, 300, 1],
  [70, 470, 0.8],
  [280, 190, 0.7],
  [330, 90, 1.4],
  [250, 640, 0.9],
  [120, 720, 1.3],
  [420, 40, 0.7],
  [520, 110, 0.9],
  [660, 50, 0.7],
  [760, 130, 1.2],
  [880, 40, 0.8],
  [960, 160, 1],
  [1080, 90, 1.5],
  [1030, 280, 0.7],
  [1120, 380, 1],
  [1160, 220, 0.8],
  [1090, 560, 1.2],
  [980, 690, 0.8],
  [1150, 730, 1],
  [850, 760, 0.7],
  [400, 750, 0.8],
  [600, 770, 1],
];

/** Orbits and stars behind a page's first screen. Decoration, below everything else. */
export function Sky({ className }: { className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 1200 800"
      preserveAspectRatio="xMidYMid slice"
      fill="none"
      className={cn('pointer-events-none absolute inset-0 -z-10 size-full', className)}
    >
      <g stroke="currentColor" className="text-line">
        {[330, 460, 610].map((radius) => (
          <circle key={radius} cx="600" cy="400" r={radius} opacity={1 - radius / 900} />
        ))}
      </g>
      <g fill="currentColor" className="text-muted" opacity="0.7">
        {STARS.map(([x, y, r]) => (
          <circle key={`${x} ${y}`} cx={x} cy={y} r={r} />
        ))}
      </g>
      <g fill="currentColor" className="text-gold">
        <circle cx="919" cy="315" r="3" />
        <circle cx="283" cy="491" r="2.5" />
        <circle cx="1017" cy="594" r="2" />
      </g>
    </svg>
  );
}
