/** Letters, numbers, symbols and punctuation, but for those that are drawn as nothing, such as fillers. */
const VISIBLE = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{S}\p{P}]/u;

/** Whether something can be seen of a text. One in which nothing can be seen names nothing. */
export const canBeSeen = (text: string): boolean => VISIBLE.test(text);
