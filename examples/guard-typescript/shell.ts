/** A command line as a shell takes it apart: words without their quotes, and operators. */

const SPACE = "[ \\t\\r]+";
const OPERATOR = "[();<>|&\\n]+";
const SINGLE = "'[^']*'";
const DOUBLE = '"(?:[^"\\\\]|\\\\[^])*"';
const WORD = `(?:[^ \\t\\r\\n();<>|&'"\\\\]|\\\\[^]|${SINGLE}|${DOUBLE})+`;
const TOKEN = new RegExp(`${SPACE}|(?<operator>${OPERATOR})|(?<word>${WORD})`, "y");
const QUOTED = /'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])/g;

/** Each program's words, and the operator in front of it. Throws where a quote is left open. */
export function* commands(line: string): Generator<{ before: string; words: string[] }> {
  let before = "";
  let words: string[] = [];
  for (let at = 0; at < line.length; ) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(line);
    if (!found) throw new SyntaxError(`a quote or an escape is open from character ${at}: ${line}`);
    at = TOKEN.lastIndex;
    const { operator, word } = found.groups!;
    if (word !== undefined) words.push(unquoted(word));
    if (operator === undefined) continue;
    if (words.length > 0) yield { before, words };
    [before, words] = [operator, []];
  }
  if (words.length > 0) yield { before, words };
}

function unquoted(word: string): string {
  return word.replace(QUOTED, (_, single?: string, double?: string, escaped?: string) => {
    return single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? "";
  });
}
