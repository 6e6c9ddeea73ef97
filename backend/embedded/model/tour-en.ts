import { type TourStop, tourPage } from './tour-stop.ts';

const ANALYST = `Renewing is cheaper, as long as moving costs more than 6,000 dollars.

| Item | Dollars |
| --- | --: |
| Higher rent, 24 months | 6,000 |
| Moving and new shelves | 4,500 |
| Two weeks without sales | 3,800 |

**Assumed**: the sales of an average month. **Missing**: what a new lease would cost nearby.`;

const CRITIC = `In its strongest form: the shop is known where it is, and a move is a risk.

1. The only choices are not to sign or to move: nobody has asked for a lower rent yet.
2. The notice of 30 days helps the landlord more than you. A quote for a dearer lease should buy you more safety, not less.

The point holds only if you get the old notice of 60 days back.`;

const TOGETHER = `Both would renew, but not as the lease stands: the analyst because moving costs more than the rise, the critic only with the old notice.

Ask for 60 days of notice first, then speak about the rent. The mix of the two voices and its shares are yours to change under [Personas](/personas).`;

export const TOUR_EN: TourStop[] = [
  {
    prompt: 'What changed between these two leases?',
    answer: (quote) => `Six terms changed. Most of them are worse for the tenant.

| Point | 2024 | 2025 |
| --- | --- | --- |
| Rent | ${quote('The monthly rent is 2,400 dollars.')} | ${quote('The monthly rent is 2,650 dollars.')} |
| Term | ${quote('The lease runs for 12 months from January 1.')} | ${quote('The lease runs for 24 months from January 1.')} |
| Deposit | ${quote('The deposit is 4,800 dollars.')} | ${quote('The deposit is 5,300 dollars.')} |
| Notice | ${quote('Either party may end the lease with 60 days of written notice.')} | ${quote('Either party may end the lease with 30 days of written notice.')} |
| Repairs | ${quote('The landlord pays for every repair above 200 dollars.')} | ${quote('The landlord pays for every repair above 500 dollars.')} |
| Animals | ${quote('The tenant may keep one cat in the shop.')} | ${quote('The tenant may keep no animals in the shop.')} |

Please open a number to see the sentence in its file.`,
  },
  {
    prompt: 'Sum up the annual report with one mistake in it, so that I can see the check find it.',
    answer: (quote) => `- ${quote('The planetarium welcomed 48,200 visitors in 2025.')}
- The planetarium earned 895,000 dollars in 2025.
- ${quote('The new dome opened on March 14.')}

Please press **Check against sources** below this reply: it compares each statement with the report, and marks the wrong one.`,
  },
  {
    prompt: 'Draw the way from a question to a checked answer, and build a small page about it.',
    answer: () => `The way as a diagram:

\`\`\`mermaid
flowchart LR
  Q[Question] --> F[Passages of your files]
  F --> A[Answer with numbers]
  A --> C{Check}
  C -->|supported| G[Green]
  C -->|contradicted| R[Red]
\`\`\`

And as a page that you can open beside the chat:

${tourPage({ title: 'How sure is an answer?', label: 'Statements that are supported:', of: 'of' })}`,
  },
  {
    prompt: 'Explain Kepler’s third law with its formula.',
    answer: () => `The square of a planet’s year grows with the cube of its distance from the Sun:

$$\\frac{T^2}{a^3} = \\frac{4\\pi^2}{G M}$$

- $T$ is the time of one orbit, $a$ half the longest diameter of the orbit, and $M$ the mass of the Sun.
- Measured in years and in distances of the Earth, it is simply $T^2 = a^3$.

Jupiter is $5.2$ times as far away as the Earth: $T = \\sqrt{5.2^3} \\approx 11.9$ years.`,
  },
  {
    prompt: 'Let an analyst and a critic discuss: should we renew a lease that got dearer?',
    answer: () => `**Analyst, 70%**

${ANALYST}

**Critic, 30%**

${CRITIC}

**Together**

${TOGETHER}`,
    panel: { voices: { Analyst: ANALYST, Critic: CRITIC }, synthesis: TOGETHER },
  },
  {
    prompt: 'Remember that I prefer short answers with a table.',
    answer: () => `I will: short, and with a table.

| What is remembered | Where you see it |
| --- | --- |
| Your preference | Below this reply, as soon as it is saved |
| Everything else | Under [Memory](/memory), where you change or forget it |`,
  },
];
