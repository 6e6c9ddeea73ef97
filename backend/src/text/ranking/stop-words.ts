import { fold } from '../fold.ts';

// Words without a subject, which identify the language of a text.
const BY_LANGUAGE = {
  en: `a about above after again all also am an and any are as at be because been before being below between both but by can could did
    do does doing don down during each few for from further had has have having he her here hers herself him himself his how i if
    in into is it its itself just may me might more most must my myself no nor not now of off on once only or other our ours ourselves out
    over own please s same shall she should so some such t than that the their theirs them themselves then there these they this those
    through to too under until up us very was we were what when where which while who whom why will with would you your yours
    yourself yourselves ll re ve m d tell say says said give show according mentioned mention exactly there's thanks thank ok okay hello hi`,
  de: `aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist bitte da damit danach dann das dass davor dein
    deine dem den denn der des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines
    er es etwas euch euer eure fur gegen gewesen hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer
    im in indem ins ist jede jedem jeden jeder jedes jene jener jetzt kann kannst kein keine keinem keinen keiner konnen konnte man manche mein
    meine mich mir mit muss nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner sich sie sind so solche soll
    sollte sondern sonst uber um und uns unser unsere unter viel vom von vor wahrend war waren warum was weil welche welchem welchen
    welcher welches wenn wer werde werden wie wieder will wir wird wirst wo wollen wurde wurden zu zum zur zwar zwischen wieviel wann
    wozu worum wovon worin steht ins nenne nennt sagt sage gibt gib zeig zeige danke laut`,
  fr: `alors au aucun aussi autre aux avant avec avoir bon c car ce cela celle celles celui ces cet cette ceux chaque ci comme comment d dans
    de des donc dont du elle elles en encore est et etaient etait ete etre eu eux fait faire fut ici il ils j je l la le les leur leurs lui
    ma mais me meme mes moi mon n ne ni nos notre nous on ont ou par parce pas peu peut plus plusieurs pour pourquoi qu quand que quel quelle
    quelles quels qui quoi s sa sans se selon sera ses si sien son sont sous sur ta te tes toi ton tous tout toute toutes tres tu un une vos
    votre vous y combien donne dis dit merci svp`,
  es: `a al algo algunas algunos ante antes como con contra cual cuales cuando cuanto cuantos cuanta cuantas de del desde donde durante e el
    ella ellas ellos en entre era eran eres es esa esas ese eso esos esta estaba estado estan estar estas este esto estos fue fueron ha
    haber habia han hasta hay la las le les lo los mas me mi mis mucho muy nada ni no nos nosotros o os otra otros para pero poco por porque
    que quien quienes se sea segun ser si sin sobre solo son su sus tambien tanto te tiene tienen toda todo todos tu tus un una uno unos usted
    y ya yo dime dice gracias favor`,
  it: `a ad agli ai al alla alle allo anche ancora avere c che chi ci come con cosa cui da dagli dai dal dalla dalle de degli dei del della
    delle dello di dove e ed era essere fra gli ha hanno ho i il in io l la le lei lo loro lui ma mi mia mio ne negli nei nel nella nelle no
    noi non nostro o per perche piu quale quali quando quanto quanti quella quelli quello questa queste questi questo se sei si sia siamo sono
    su sua sue sui sul sulla suo suoi ti tra tu tutti tutto un una uno voi dimmi grazie`,
  pt: `a ao aos as ate com como da das de dela dele deles depois do dos e ela elas ele eles em entre era essa esse esta estao este eu foi foram
    ha isso isto ja la lhe mais mas me mesmo meu minha muito na nao nas nem no nos nossa nosso num numa o os ou para pela pelas pelo pelos por
    porque qual quais quando quanto quantos que quem se sem ser seu seus so sua suas tambem te tem tinha tu um uma umas uns voce obrigado`,
  nl: `aan al alles als bij dan dat de der deze die dit doen door dus een en er ge geen haar had heb hebben heeft hem het hier hij hoe hoeveel
    hun iets ik in is ja je kan kunnen maar me meer men met mij mijn moet na naar niet niets nog nu of om omdat onder ons ook op over reeds te
    tegen toch toen tot u uit uw van veel voor waar waarom wanneer want waren was wat we wel werd wezen wie wij wil worden zal ze zei zelf zich
    zij zijn zo zonder zou dank`,
  ru: `а без более бы был была были было быть в вам вас весь во вот все всего вы где да для до его ее если есть еще же за здесь и из или им их
    к как какая какие какой когда кто ли либо меня мне может мы на над не него нее нет ни но ну о об он она они оно от по под при с со сколько
    так также там то того тоже той только том ты у уже что чтобы чем эта эти это этого этой этот я почему скажи пожалуиста спасибо`,
  zh: `的 是 了 在 和 有 我 你 他 她 它 们 我们 这 那 这个 那个 个 一 一个 不 也 就 都 而 及 与 或 什么 谁 哪 哪里 哪个 怎么 如何 为什么 多少 几 吗 呢 吧 请 请问 中 上 下
    对 对于 关于 被 把 从 到 可以 能 会 要 说 给`,
  ja: `何 誰 私 方 事 物 時 中 者 教`,
  ko: `이 그 저 것 수 등 및 의 가 은 는 을 를 에 와 과 무엇 무엇인가요 누구 언제 어디 왜 어떻게 얼마 얼마나 있는 있습니까 입니까 이다 주세요 해 해줘 대해`,
} as const;

/** A language with known stop words. */
export type Language = keyof typeof BY_LANGUAGE;

const LISTS = Object.entries(BY_LANGUAGE).map(([language, list]) => ({
  language: language as Language,
  words: new Set(fold(list).split(/\s+/)),
}));

const SCRIPTS: [Language, RegExp][] = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ['zh', /\p{Script=Han}/u],
  ['ko', /\p{Script=Hangul}/u],
  ['ru', /\p{Script=Cyrillic}/u],
];

/** Texts of other languages have a few of these words by chance. */
const MIN_SHARE = 0.08;

/** The languages whose stop words are most frequent among `words` (folded): several when equally likely, none when unknown. */
export function languagesOf(words: readonly string[]): Language[] {
  const counts = LISTS.map(({ words: common }) => words.filter((word) => common.has(word)).length);
  const most = Math.max(...counts);
  if (most > words.length * MIN_SHARE)
    return LISTS.filter((_, at) => counts[at] === most).map(({ language }) => language);
  const script = SCRIPTS.find(([, letters]) => words.some((word) => letters.test(word)));
  return script ? [script[0]] : [];
}

/** The stop words of `languages`; the English ones when there are none. */
export function stopWordsOf(languages: readonly Language[]): ReadonlySet<string> {
  const wanted = languages.length === 0 ? ['en'] : languages;
  const lists = LISTS.filter(({ language }) => wanted.includes(language));
  return new Set(lists.flatMap(({ words }) => [...words]));
}
