const SECTIONS: ReadonlyArray<(n: number) => string> = [
  (n) => `## ${n}. What the telescope saw

The mirror gathers light for **${n} hours** before the first exposure is read, and the *dark frames* are taken at the same temperature. A guide star keeps the field still; see [the manual](https://example.org/manual/${n}) for \`guide.rate\` and the limits of the mount.

Most of the noise is thermal. Cooling the sensor by six degrees halves it, which is why the first ${n} frames of a night are worth less than the last ones, and why nobody who has waited for them throws them away.`,
  (n) => `1. Open the dome and let the air settle for ${n + 5} minutes.
2. Point at the calibration star:
   - centre it,
   - focus until the *half-flux* diameter stops shrinking,
   - write down the \`position\`.
3. Start the sequence and leave the room.

- [x] darks
- [x] flats
- [ ] bias, run ${n}`,
  (n) => `\`\`\`typescript
interface Exposure {
  seconds: number;
  filter: 'L' | 'R' | 'G' | 'B';
}

/** Sums what the frames have in common and drops what only one of them saw. */
export function stack(frames: readonly Exposure[], sigma = ${n}): number {
  const kept = frames.filter((frame) => frame.seconds > sigma);
  if (kept.length === 0) throw new Error('nothing to stack');
  return kept.reduce((sum, { seconds }) => sum + seconds, 0) / kept.length;
}
\`\`\``,
  (n) => `| Target | Magnitude | Exposure | Note |
|:--|--:|--:|---|
| M31 | 3.4 | ${n * 10} s | **bright** core |
| M42 | 4.0 | ${n * 5} s | use \`short\` frames too |
| NGC 7000 | 4.0 | ${n * 30} s | wide field |
| IC 434 | 6.8 | ${n * 60} s | narrow band |

> A night that is clear at dusk is a promise, not a fact.
> Keep the cover within reach.`,
  (n) => `\`\`\`python
def darks(frames, temperature=-${n}):
    """The median of the dark frames taken near one temperature."""
    near = [f for f in frames if abs(f.temperature - temperature) < 0.5]

    return median(f.data for f in near) if near else None
\`\`\`

The result is subtracted *before* the flats are divided out. Doing it the other way round leaves a gradient of about ${n} counts, small enough to be missed and large enough to matter.`,
];

/** A reply with prose, lists, code, tables and quotes, exactly `length` characters long, the same every time. */
export function mixedMarkdown(length: number): string {
  let text = '';
  for (let n = 1; text.length < length; n += 1) {
    text += SECTIONS.map((section) => `${section(n)}\n\n`).join('');
  }
  return text.slice(0, length);
}
