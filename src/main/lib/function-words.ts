/** English words that join others and say nothing about what a text is about. */
export const functionWords: readonly string[] =
  'the and for that this with from have has was were are not but you our your can could would should please what which where when who how why does did its they them there then than into also only just some any all one two will about after before been being because more most other over such very is it in on of to a an be by or as at we do if i my me us so no each both these those while until without within between during'.split(
    ' ',
  );
