const AUDIENCES = [
  {
    who: 'Researchers',
    why: 'Put a shelf of PDFs into one conversation and follow every quote back to its page.',
  },
  {
    who: 'Developers',
    why: 'Highlighted code to copy, tables that scroll in place, and a second version of any reply.',
  },
  {
    who: 'Writers',
    why: 'Edit what you asked, try again, and go back: no version of a conversation is lost.',
  },
  {
    who: 'People on the move',
    why: 'Ask on the phone, close it, read the reply on the laptop. It is written either way.',
  },
];

export const PerfectFor = () => (
  <section aria-labelledby="perfect-for" className="pt-20 sm:pt-28">
    <h2 id="perfect-for" className="text-xl font-semibold">
      Perfect For
    </h2>
    <dl className="mt-8 grid border-t border-line sm:grid-cols-2 sm:gap-x-8">
      {AUDIENCES.map(({ who, why }) => (
        <div key={who} className="border-b border-line py-5">
          <dt className="font-medium">{who}</dt>
          <dd className="mt-1 text-sm text-muted">{why}</dd>
        </div>
      ))}
    </dl>
  </section>
);
