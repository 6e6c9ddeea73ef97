import { t } from 'virtual:texts/landing';

const AUDIENCES = ['researchers', 'developers', 'writers', 'movers'] as const;

export const PerfectFor = () => (
  <section aria-labelledby="perfect-for" className="pt-20 sm:pt-28">
    <h2 id="perfect-for" className="text-xl font-semibold">
      {t('perfectFor')}
    </h2>
    <dl className="mt-8 grid border-t border-line sm:grid-cols-2 sm:gap-x-8">
      {AUDIENCES.map((who) => (
        <div key={who} className="border-b border-line py-5">
          <dt className="font-medium">{t(who)}</dt>
          <dd className="mt-1 text-sm text-muted">{t(`${who}Text`)}</dd>
        </div>
      ))}
    </dl>
  </section>
);
