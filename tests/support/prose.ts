// Comments and prose as text, and the patterns that the language guide of CONTRIBUTING.md forbids.
import { projectFiles, readProjectFile } from './sources.ts';

interface ProseLine {
  readonly place: string;
  readonly text: string;
  /** The whole line, for its length; empty where length does not matter (tables, links, code). */
  readonly line: string;
}

/** Comment lines of a source file. */
function commentsOf(file: string): ProseLine[] {
  let isInBlock = false;
  return readProjectFile(file)
    .split('\n')
    .flatMap((line, index) => {
      const trimmed = line.trim();
      if (trimmed.startsWith('/*')) isInBlock = true;
      const comment = isInBlock ? trimmed.replace(/^\/?\*+/, '').replace(/\*\/$/, '') : /(?:^|\s)\/\/ (.*)$/.exec(line)?.[1];
      const isOwnLine = isInBlock || trimmed.startsWith('//');
      if (isInBlock && trimmed.endsWith('*/')) isInBlock = false;
      const text = comment?.trim() ?? '';
      return text === '' ? [] : [{ place: `${file}:${index + 1}`, text, line: isOwnLine && !/https?:/.test(text) ? line : '' }];
    });
}

/** Lines of a page outside of its code blocks, without inline code. */
function paragraphsOf(file: string): ProseLine[] {
  let isCode = false;
  return readProjectFile(file)
    .split('\n')
    .flatMap((line, index) => {
      if (/^\s*```/.test(line)) isCode = !isCode;
      if (isCode || /^\s*```/.test(line)) return [];
      const text = line.replace(/`[^`]*`/g, 'x').replace(/^[#>*\-\s|]+/, '');
      return [{ place: `${file}:${index + 1}`, text, line: line.includes('|') || /\]\(|https?:/.test(line) ? '' : line }];
    });
}

export function proseLines(): ProseLine[] {
  return projectFiles().flatMap((file) => {
    if (/\.(?:ts|mjs)$/.test(file)) return commentsOf(file);
    return file.endsWith('.md') && !/licen[sc]e/i.test(file) ? paragraphsOf(file) : [];
  });
}

/** Patterns that plain English does without, each with its remedy. */
export const FORBIDDEN_PROSE: Readonly<Record<string, RegExp>> = {
  'begin with a noun phrase or a third-person verb': /^(?:What|Who|Whoever|Whose|Of|Those|So (?:many|much|long)|How often|Beyond it)\b/,
  'name the caller, request, client or user':
    /\b(?:nobody|somebody|anybody|everybody|whoever|who (?:waits|comes|leaves|takes|asks|has|is))\b/i,
  'write "at most N" or "N times"':
    /\b(?:so (?:many|much|long|often|few) (?!as|that)|as many times|half as many|twice as (?:many|long))\b/i,
  'write "is not a" or "does not exist"': /(?<!\bthere )\b(?:is|are|was|were) (?:no|none)\b(?! longer| more than| fewer)/i,
  'programs return, report, log or reject':
    /\b(?:(?:is|are|was|were|be) (?:told|heard|looked at|asked for)|knows? (?:no|nothing)|knows neither|has the say|fares?)\b/i,
  'data is received, stored or found':
    /\b(?:comes? (?:with|back|later|between)|stands? (?:at|behind|beside|before)|lies? (?:at|behind|before))\b/i,
  'write "again", "as before", "concurrently", "alone"':
    /\b(?:anew|as ever|of late|all the same|by now|thereof|whereby|those (?:that|who)|for itself|by itself|meanwhile)\b/i,
  'write numbers with units':
    /\b(?:a|an|two|three|five) (?:third|thirds|quarter|quarters|fifth|fifths|sixth|tenth|tenths|hundredth) (?:of|more|less|fewer|longer)\b/i,
};

/** Names of mechanisms and private terms that must not return. */
export const FORBIDDEN_NAMES =
  /\b(?:[gG]athering|BriefKinds?|briefOf|kindIn|isShared|neverShare|wentTogether|heldUpOthers|[mM]akingWay|makeWay|giveWay|WaitingTogether|inOne|InOne|TurnQueue|areWanted|stillWanted|lateRow|PatientSink|KeptAnswers|KeptBody|SchemaPictures|isDeaf|asYetUnknown|[uU]ntaken|turnAway|ownerOf|plainMoment|Narrowed|setFlagsFromString)\b/;
