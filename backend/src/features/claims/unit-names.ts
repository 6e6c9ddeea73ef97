import { fold } from '../../text/fold.ts';

/** A unit: its family, such as `eur`, `%` or `seconds`, and its factor to the smallest unit of the family. */
export interface Unit {
  family: string;
  factor: number;
}

/** Folded names in English, German, French and Spanish, in either case. */
const NAMES: readonly (readonly [pattern: string, family: string, factor?: number])[] = [
  ['%|percent|per cent|pct|prozent|pour cent|por ciento', '%'],
  ['percentage points?|prozentpunkte?n?|pp|pts', '%'],
  ['basis points?|basispunkte?n?|bps?', '%', 0.01],
  ['‰|promille', '%', 0.1],
  ['ppm', 'ppm'],
  ['ppb', 'ppm', 0.001],
  ['€|eur|euros?', 'eur'],
  ['t€|teur|k€|keur', 'eur', 1_000],
  ['meur', 'eur', 1_000_000],
  // Of any country, and of one.
  [String.raw`\$|dollars?|dolares`, '$'],
  [String.raw`us\$|usd|us[ -]dollars?`, 'us$'],
  [String.raw`can?\$|c\$|cad|canadian dollars?|kanadische dollar`, 'ca$'],
  [String.raw`au?\$|aud|australian dollars?|australische dollar`, 'au$'],
  [String.raw`nz\$|nzd|new zealand dollars?`, 'nz$'],
  [String.raw`hk\$|hkd|hong kong dollars?`, 'hk$'],
  [String.raw`sg?\$|sgd|singapore dollars?`, 'sg$'],
  [String.raw`r\$|brl|reais`, 'brl'],
  ['£|gbp|pounds?|pfund|libras?', 'gbp'],
  ['chf|francs?|franken', 'chf'],
  ['¥|jpy|yen', 'jpy'],
  ['₹|inr|rupees?|rupien', 'inr'],
  ['cny|rmb|yuan|renminbi', 'cny'],
  ['nok', 'nok'],
  ['dkk', 'dkk'],
  ['pln|zloty', 'pln'],
  ['czk', 'czk'],
  ['milliseconds?|millisekunden?|millisecondes?|milisegundos?', 'seconds', 0.001],
  ['seconds?|sekunden?|secondes?|segundos?|secs?|sek', 'seconds'],
  ['minutes?|minuten?|minutos?|mins?', 'seconds', 60],
  ['hours?|stunden?|heures?|horas?|hrs?|std', 'seconds', 3_600],
  ['days?|tage?n?|jours?|dias?', 'seconds', 86_400],
  ['weeks?|wochen?|semaines?|semanas?|wks?', 'seconds', 604_800],
  ['months?|monate?n?|mois|mes|meses', 'months'],
  ['years?|jahre?n?|ans?|annees?|anos?|yrs?', 'months', 12],
  ['decades?|jahrzehnte?n?', 'months', 120],
  ['inch|inches|zoll|pouces?|pulgadas?', 'inches'],
  ['ft|feet|foot|fuss|pieds?|pies', 'feet'],
  ['yd|yards?|yardas?', 'yards'],
  [
    'km/h|kmh|kph|(?:km|kilo(?:met(?:re|er)s?|metern?|metros?)) (?:per|pro|par|por) (?:hour|stunde|heure|hora)',
    'km/h',
  ],
  [
    'm/s|met(?:re|er)s?n? (?:per|pro|par) (?:second|sekunde|seconde)|metros? por segundo',
    'km/h',
    3.6,
  ],
  ['mph|miles per hour|meilen pro stunde|millas por hora', 'mph'],
  ['mi|miles?|meilen?|millas?', 'miles'],
  ['t|tons?|tonnes?|tonnen|toneladas?', 'g', 1_000_000],
  ['kilos?', 'g', 1_000],
  ['lbs?', 'pounds'],
  ['oz|ounces?|unzen?|onces|onzas?', 'ounces'],
  ['gal|gallons?|gallonen?|galones', 'gallons'],
  ['bbls?|barrels?|barriles', 'barrels'],
  ['ha|hectares?|hektare?n?|hectareas?', 'm²', 10_000],
  ['acres?', 'acres'],
  ['(?:square|sq[.]?)[ -]?(?:ft|feet|foot)|sqft|quadratfu(?:ss|sse)', 'square feet'],
  ['(?:square|sq[.]?)[ -]?(?:mi|miles?)|quadratmeilen?|millas? cuadradas?', 'square miles'],
  ['hp|bhp|horsepower|ps|pferdestarken?', 'horsepower'],
  ['(?:kilo)?(?:calories?|kalorien?|calorias?)', 'kcal'],
  ['decibels?|dezibel', 'decibels'],
  ['kb|kilobytes?', 'mb', 0.001],
  ['mb|megabytes?', 'mb'],
  ['gb|gigabytes?', 'mb', 1_000],
  ['tb|terabytes?', 'mb', 1_000_000],
  ['petabytes?', 'mb', 1_000_000_000],
  ['°c|degrees celsius|grad celsius', 'celsius'],
  ['°f|degrees fahrenheit', 'fahrenheit'],
];

/** Prefixes of metric units: their names, folded, and factors. */
const PREFIXES: Record<string, readonly [pattern: string, factor: number]> = {
  n: ['nano', 1e-9],
  µ: ['mi[ck]ro', 1e-6],
  m: ['mill?i', 1e-3],
  c: ['[cz]enti', 1e-2],
  d: ['de[cz]i', 1e-1],
  h: ['he[ck]to', 1e2],
  k: ['kilo', 1e3],
  M: ['mega', 1e6],
  G: ['giga', 1e9],
  T: ['tera', 1e12],
};
const METRE = 'met(?:re|er)s?|metern|metros?';
/** Metric units, each with its symbols in use, because '5 TV' are no teravolts. */
const METRIC: readonly (readonly [
  base: string,
  symbols: string,
  names: string,
  family: string,
  factor?: number,
])[] = [
  ['g', 'g kg mg µg ng', 'grams?|gramm|grammes?|gramos?', 'g'],
  ['l', 'l L ml cl dl hl µl', 'lit(?:re|er)s?|litern|litros?', 'l'],
  ['m', 'm km cm mm µm nm', METRE, 'mm', 1_000],
  ['Wh', 'Wh kWh MWh GWh TWh', 'watt[ -]?hours?|wattstunden?|wattheures?', 'watt-hours'],
  ['W', 'W kW MW GW TW mW', 'watts?|vatios?', 'watts'],
  ['Wp', 'Wp kWp MWp GWp', 'watts?[ -]peak', 'watts'],
  ['Hz', 'Hz kHz MHz GHz', 'hertz', 'hertz'],
  ['V', 'V kV mV', 'volts?', 'volts'],
  ['A', 'mA kA', 'amps?|amperes?|amperios?', 'amperes'],
  ['Ah', 'Ah mAh', '(?:amp|ampere)[ -]?hours?|amperestunden?', 'ampere-hours'],
  ['J', 'kJ MJ GJ', 'joules?|julios?', 'joules'],
  ['Pa', 'Pa hPa kPa MPa', 'pascals?', 'pascals'],
];

/** Symbols that are written in either case too; 'mw' is 'MW'. */
const CASELESS = new Set('kg mg µg ml µl km cm mm µm kW MW GW kWh MWh GWh kHz MHz GHz'.split(' '));

const bySymbol = new Map<string, Unit>([
  ['h', { family: 'seconds', factor: 3_600 }],
  ['SEK', { family: 'sek', factor: 1 }],
  ['ms', { family: 'seconds', factor: 0.001 }],
  ['kcal', { family: 'kcal', factor: 1 }],
  ['dB', { family: 'decibels', factor: 1 }],
]);
const byFoldedSymbol = new Map<string, Unit>();
const byName: [RegExp, Unit][] = [];
const addName = (pattern: string, unit: Unit) =>
  byName.push([new RegExp(`^(?:${pattern})$`, 'u'), unit]);

for (const [pattern, family, factor = 1] of NAMES) addName(pattern, { family, factor });
for (const [base, symbols, names, family, factor = 1] of METRIC) {
  addName(names, { family, factor });
  for (const symbol of symbols.split(' ')) {
    const [prefix, by = 1] = PREFIXES[symbol.slice(0, -base.length)] ?? [];
    const unit = { family, factor: factor * by };
    bySymbol.set(symbol, unit);
    if (CASELESS.has(symbol)) byFoldedSymbol.set(fold(symbol), unit);
    if (prefix !== undefined) addName(`${prefix}(?:${names})`, unit);
  }
}
for (const symbol of ['m', 'km', 'cm', 'mm']) {
  const [prefix = '', by = 1] = PREFIXES[symbol.slice(0, -1)] ?? [];
  const metre = `${prefix}(?:${METRE})`;
  addName(
    `${symbol}2|(?:square|sq[.]?)[ -]?(?:${metre}|${symbol})|q${symbol}|quadrat${metre}|${metre} (?:carres?|cuadrados?)`,
    { family: 'm²', factor: by ** 2 },
  );
  addName(
    `${symbol}3|(?:cubic|cu[.]?)[ -]?(?:${metre}|${symbol})|kubik${metre}|${metre} (?:cubes?|cubicos?)`,
    { family: 'l', factor: 1_000 * by ** 3 },
  );
}

/** Whether two families are of one unit; dollars of a country that is not said may be those of any. */
export const isSameFamily = (one: string, other: string): boolean =>
  one === other || ((one === '$' || other === '$') && one.endsWith('$') && other.endsWith('$'));

/** The unit of these words, or null. */
export function unitOf(written: string | undefined): Unit | null {
  if (written === undefined) return null;
  const word = fold(written);
  return (
    bySymbol.get(written) ??
    byFoldedSymbol.get(word) ??
    byName.find(([pattern]) => pattern.test(word))?.[1] ??
    null
  );
}
