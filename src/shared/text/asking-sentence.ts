/** How a question may begin, also without a question mark. */
const opening =
  /^(?:what|which|who|whose|where|when|why|how|is|are|was|were|does|do|did|am|any idea|explain|describe|summari[sz]e|show|list|find out|tell|compare|outline)\b/iu;
/** "Can it …?" asks, and "Can you …?" may want something done. */
const openingVerb =
  /^(?:can|could|would|will|should|may|might|must|has|have|had) (?:i|it|this|that|these|those|there|they|he|she|the|an?|one|my|our)\b/iu;

/** "Can you …", "How about …" and "Mind …ing?" ask somebody to do something; what they say after it decides. */
const politely =
  /^(?:please|(?:(?:can|could|would|will) (?:you|u|we|someone|somebody|anyone)\b|i(?:'d| would) (?:like|love) (?:you )?to\b|i (?:want|need) (?:you )?to\b|how about\b|why don't you\b|why not\b|(?:(?:would|do) you )?mind\b|(?:is there )?any chance (?:that )?(?:you|we) c(?:an|ould)\b|shall we\b)(?: (?:please|kindly|maybe|perhaps|also|be so kind as to|be able to|help me|help us))*)[\s,]+/iu;
/** "…, could you fix it?" and "…, please repair it?" within a sentence. */
const politelyLater = /[,;:]\s*(?:and |then |but )?(?:please\b|(?:can|could|would|will) you\b)/iu;

/** What wants words in return, whatever they are about. */
const wantsWords =
  /^(?:explain|describe|summari[sz]e|tell|show|compare|outline|list|walk (?:me|us) through|talk (?:me|us) through|help (?:me|us) (?:to )?understand|recommend|suggest|advise|clarify|elaborate|remind (?:me|us)|give (?:me|us)(?: an?| some| the)? (?:\w{1,20} )?(?:overview|summary|explanation|description|idea|example|list|reason|hint)s?|(?:review|read|check|inspect|examine|analy[sz]e|study|look|go through)\b.{0,80}\b(?:say|and (?:then )?(?:tell (?:me|us)|report|explain|summari[sz]e|describe|list))\b|point out|find out)\b/iu;
/** The same, only after "Can you": "See the failing test." is no question. */
const wantsWordsPolitely = /^(?:understand|know|name|see|say|hear|learn|think)\b/iu;
const ordersToo =
  /\b(?:and|then|also)\s+(?:then |please |also )?(?:fix|add|change|write|create|implement|remove|delete|rename|refactor|update|repair|correct|patch|mend|clean|merge)\b/iu;

const work =
  /\b(?:fix|add|change|write|create|implement|remove|delete|rename|refactor|update|replace|move|make|repair|correct|convert|migrate|upgrade|install|patch|merge|translate)\b/iu;

/** "Is it right, and if not, correct it?": what the answer decides is done, too. */
const onlyIf =
  /\b(?:if (?:not|so|it (?:is|does)(?: not|n't)|they (?:are|do)(?: not|n't))|otherwise|wenn nicht|falls nicht|ansonsten|sonst|sinon|si no|se non|se não|als niet|anders)\b|如果不|不然|否则|なければ|если нет|иначе/iu;

/** "Could you …" in other languages. Without one of these, a sentence with a question mark is a question there, too. */
const requestInOtherLanguages =
  /(?:^|[\s,¿])(?:bitte|kannst du|k(?:ö|oe)nntest du|k(?:ö|oe)nn(?:t)?en sie|w(?:ü|ue)rdest du|w(?:ü|ue)rden sie|peux[- ]tu|pourrais[- ]tu|pouvez[- ]vous|pourriez[- ]vous|tu peux|s['’]il (?:te|vous) pla(?:î|i)t|puedes|podr(?:í|i)as|podr(?:í|i)a usted|por favor|puoi|potresti|pu(?:ò|o) per favore|voc(?:ê|e) pode(?:ria)?|pode(?:s|rias?)?|kun je|kunt u|zou je|mo(?:ż|z)esz|czy mo(?:ż|z)esz|prosz(?:ę|e)|можешь|можете|мог бы|могла бы|могли бы|пожалуйста)(?=[\s,.!?]|$)|请|請|帮我|幫我|你能|你可以|能否|能不能|可以帮|麻烦|ください|くれますか|くれませんか|もらえますか|もらえませんか|いただけますか|いただけませんか|くれる[?？]/iu;
const wordsInOtherLanguages =
  /erkl(?:ä|ae)r|beschreib|zusammenfass|fass(?:e|t)? .{0,80}zusammen|sag(?:en|st|e|t)? mir|mir (?:bitte )?sagen|zeig|nenn|expliqu|dire\b|dis-moi|montre|décri|résum|explic|explíca|decir(?:me)?\b|dime\b|muestra|mostrar|describ|resum|spieg|dirmi|mostra|descriv|riassum|dizer|diga|mostre|leg uit|uitleg|vertel|wyja(?:ś|s)ni|opisz|powiedz|объясни|расскаж|скаж|покаж|опиши|解释|解釋|说明|說明|告诉|告訴|介绍|説明|教えて|見せて/iu;
const workInOtherLanguages =
  /\b(?:beheb|behob|fix|repar|korrigier|berichtig|(?:ä|ae)nder(?:e|n)\b|erg(?:ä|ae)nz|hinzuf(?:ü|ue)g|f(?:ü|ue)ge|entfern|l(?:ö|oe)sch|umbenenn|benenne|schreib|erstell|aktualisier|ersetz|verschieb|mach(?:e|en)?\b|implementier|corrig|corrij|ajout|supprim|renomm|modifi|remplac|arregl|añad|agreg|borr|elimin|renombr|cambi|escrib|actualiz|reemplaz|aggiung|rimuov|rinomin|scriv|aggiorn|sostitu|sistema\b|adicion|consert|remov|apagu|renome|escrev|atualiz|substitu|verwijder|voeg|hernoem|napraw|dodaj|usu(?:ń|n)|zmie(?:ń|n))|ändere|ändern|исправ|почин|добав|удал|переимен|измени|напиш|создай|обнов|замен|直して|修正|追加|削除|変更|作成|作って|書いて|更新|修复|修復|添加|增加|删除|修改|重命名|创建/iu;

/** Whether a sentence asks for an answer alone. In doubt it does not. */
export function isAskingSentence(given: string): boolean {
  const sentence = withoutPoliteness(given);
  const isPolite = sentence !== given;
  if (wantsWords.test(sentence) || (isPolite && wantsWordsPolitely.test(sentence)))
    return !ordersToo.test(sentence) && !isConditional(sentence);
  if (isPolite || politelyLater.test(given)) return false;
  if (requestInOtherLanguages.test(given))
    return wordsInOtherLanguages.test(given) && !workInOtherLanguages.test(given);
  const isQuestion = /[?？؟]$/u.test(given);
  // "Do the work." is no question, though "Do they agree?" is.
  if (!isQuestion)
    return asksInOtherWords(given) || (opening.test(given) && !/^do\b/iu.test(given) && !work.test(given));
  if (isConditional(given)) return false;
  return opening.test(given) || openingVerb.test(given)
    ? !/\bbe (?:fixed|added|changed|removed|renamed|updated)\b/iu.test(given)
    : !work.test(given);
}

/** "Erkläre mir, …": an order that wants words, in another language. */
function asksInOtherWords(sentence: string): boolean {
  const [first = ''] = sentence.split(/[\s,]/u);
  return wordsInOtherLanguages.test(first) && !workInOtherLanguages.test(sentence);
}

function isConditional(sentence: string): boolean {
  return onlyIf.test(sentence) && (work.test(sentence) || workInOtherLanguages.test(sentence));
}

/** What is left of a sentence after "Could you please". */
function withoutPoliteness(sentence: string): string {
  let rest = sentence;
  for (let count = 0; count < 3; count += 1) rest = rest.replace(politely, '');
  return rest;
}
