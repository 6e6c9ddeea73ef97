import { AppWindow, CircleStop, Contrast, Keyboard, ShieldCheck, TextQuote } from 'lucide-react';

const FEATURES = [
  {
    icon: AppWindow,
    title: 'Live in every tab',
    text: 'A reply grows in all the tabs you have open at once. Reload in the middle and it goes on.',
  },
  {
    icon: ShieldCheck,
    title: 'Nothing gets lost',
    text: 'Close the laptop while an answer is being written. It is there when you come back.',
  },
  {
    icon: CircleStop,
    title: 'Stop, and keep',
    text: 'Stop a reply from any tab. What was written up to then is yours to use.',
  },
  {
    icon: TextQuote,
    title: 'Set to be read',
    text: 'Tables, task lists and code with a copy button, in type made for long answers.',
  },
  {
    icon: Keyboard,
    title: 'Hands on the keys',
    text: 'Everything is within reach of the keyboard, and the focus is always in sight.',
  },
  {
    icon: Contrast,
    title: 'By night and by day',
    text: 'A night sky and a sheet of warm paper, drawn with the same care.',
  },
];

export const Features = () => (
  <section aria-labelledby="features" className="pt-20 sm:pt-28">
    <h2 id="features" className="max-w-md text-xl font-semibold">
      Calm on the surface, careful underneath
    </h2>
    <ul className="mt-10 grid gap-x-10 gap-y-9 sm:grid-cols-2 lg:grid-cols-3">
      {FEATURES.map(({ icon: Icon, title, text }) => (
        <li key={title} className="border-t border-line pt-5">
          <Icon aria-hidden="true" className="size-5 text-accent" strokeWidth={1.6} />
          <h3 className="mt-4 font-medium">{title}</h3>
          <p className="mt-1.5 text-sm text-muted">{text}</p>
        </li>
      ))}
    </ul>
  </section>
);
