import { fold } from '../fold.ts';

const list = (words: string): ReadonlySet<string> => new Set(fold(words).split(/\s+/));

/** Words for files themselves. */
export const FILE_WORDS = list(`
  file files document documents doc docs pdf attachment attachments attached upload uploaded text texts paper papers presentation slides deck
  spreadsheet sheet table book
  datei dateien dokument dokumente dokuments anhang anlage dokumentes prasentation folien tabelle buch unterlage unterlagen
  fichier fichiers document documents piece jointe presentation tableau livre texte
  archivo archivos fichero documento documentos adjunto texto presentacion libro
  file documento documenti allegato testo presentazione libro
  arquivo arquivos ficheiro documento anexo texto apresentacao livro
  bestand bestanden document documenten bijlage tekst presentatie boek
  файл файла файле файлы документ документа документе документы текст текста вложение
  文件 文档 文書 ファイル 資料 书 本 파일 문서`);

/** Words for kinds of files: the subject of a request with nothing else ('Summarise the contract') is the file. */
export const KIND_WORDS = list(`
  report reports contract contracts agreement agreements lease leases letter letters article articles study studies thesis essay manual
  handbook transcript invoice invoices annual quarterly rental
  bericht berichte berichts vertrag vertrage vertrags vertragen brief briefe artikel artikels studie studien aufsatz handbuch protokoll
  protokolls protokolle rechnung rechnungen
  rapport rapports contrat contrats lettre article articles etude manuel facture
  informe informes contrato contratos carta articulo estudio factura
  relazione rapporto contratto contratti lettera articolo studio fattura
  relatorio relatorios artigo estudo fatura
  verslag contract contracten brief artikel studie factuur
  отчет отчета договор договора письмо статья статьи
  报告 合同 协议 论文`);

/** Words for how long the result of a task is to be, and for how many files. */
export const LENGTH_WORDS = list(`
  sentence sentences word words paragraph paragraphs lines satz satze satzen worte worten worter wortern absatz absatze absatzen zeilen
  phrase phrases mots paragraphes lignes frase frases palabras parrafos lineas frasi parole paragrafi righe paragrafos linhas
  zin zinnen woorden предложения предложениях словах слов
  one two three four five both zwei drei vier funf beide beiden deux trois quatre cinq dos tres cuatro cinco due tre quattro cinque`);

/** Words that request a task with a text. */
export const REQUEST_WORDS = list(`
  summarise summarize summary summarised summarized summaries summarising summarizing sum overview outline tldr tl dr recap abstract gist
  translate translation explain explanation describe description analyse analyze analysis review read rewrite rephrase proofread list
  extract key main important points point content contents contain contains containing topic topics about brief briefly short shortly detail
  details detailed bullet bullets english german french spanish find information answer tell know look want need help whole
  entire complete full look looking write make create provide findings compare comparison difference differences differ
  vergleiche vergleichen vergleich unterschied unterschiede comparer comparez comparaison compara comparar confronta confrontare vergelijk сравни
  zusammenfassung zusammenfassen zusammen fasse fass uberblick ubersicht ubersetze ubersetzen ubersetzung erklare erklaren beschreibe
  beschreiben analysiere analysieren lies lesen liste auflisten wichtig wichtigste wichtigsten punkte inhalt inhalte enthalt kurz
  kurze stichpunkte stichpunkten schreib schreibe erstelle mach mache thema themen geht handelt deutsch deutsche deutschen englisch englische englischen hauptpunkte kernaussagen genau ganze ganzen
  resume resumer resumez resumé synthese apercu traduis traduire traduisez traduction explique expliquer expliquez decris decrire analyse
  analyser lis lire liste points principaux contenu contient sujet bref anglais francais parle
  resume resumir resumen resumelo traduce traducir traduccion explica explicar describe describir analiza analizar lee leer lista puntos
  principales contenido contiene tema breve ingles espanol trata habla
  riassumi riassumere riassunto riepilogo traduci tradurre traduzione spiega spiegare descrivi analizza leggi elenca punti principali
  contenuto contiene tema breve inglese italiano parla tratta
  resuma resumo resumir traduza traduzir traducao explique descreva analise leia liste pontos conteudo contem tema ingles portugues
  samenvatten samenvatting vertaal vertalen uitleg geef beschrijf analyseer lees belangrijkste punten inhoud bevat onderwerp kort gaat
  кратко краткое содержание резюме перескажи суммируи суммировать обобщи переведи перевести перевод объясни опиши описание проанализируи
  анализ прочитаи список основные главные пункты содержит тема темы
  总结 概括 摘要 翻译 解释 分析 内容 主要 比较 比較 要約 要点 翻訳 説明 解説 요약 비교 번역 설명 분석 내용`);
