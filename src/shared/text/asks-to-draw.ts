/** Words that name something drawn and hardly anything else. */
const drawn =
  /\b(?:(?:bar|line|pie|area|column|scatter|gantt|flow|org) ?(?:charts?|graphs?|plots?|diagrams?)|charts?|plots?|plotted|plotting|diagrams?|infographics?|histograms?|scatter ?plots?|mermaid|flow ?charts?|mind ?maps?|visuali[sz](?:e|es|ed|ation|ations)|mock-?ups?|canvas_render)\b/iu;
/** Words that are drawn where somebody wants to be shown them: a table may be one of a database, a graph one of nodes. */
const maybe =
  /\b(?:tables?|graphs?|figures?|images?|pictures?|screenshots?|drawings?|sketch(?:es)?|illustrations?)\b/iu;
const showing = /\b(?:show|draw|display|render|sketch|present|illustrate|compare|give me|as an?|in an?)\b/iu;
/** Of other languages: German, French, Spanish, Italian, Portuguese, Chinese, Japanese. */
const foreign =
  /diagramm|schaubild|zeichne|visualisier|tabelle|graphique|diagramme|tableau|gráfic|diagrama|tabla|grafico|tabella|图表|圖表|表格|グラフ|図表/iu;

/** Whether a text asks to be shown a table, a chart, a diagram or a picture, by its own words. In doubt it does: a tool is offered, and no more. */
export function asksToDraw(text: string): boolean {
  return drawn.test(text) || foreign.test(text) || (maybe.test(text) && showing.test(text));
}
