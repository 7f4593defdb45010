"""Text that speaks to a language model instead of to people: told of, and still read as data.

Precision comes first: manuals speak of prompts, letters of earlier instructions, and papers quote
attacks. What stands in quotation marks or as code is about them, and is not counted.
"""

from __future__ import annotations

import re

_TOLD = r"(?:instructions?|prompts?|directives?|guidelines)"
_EARLIER = r"(?:previous|prior|above|earlier|preceding|foregoing|existing|original|system)"
_DROP = r"(?:ignore|disregard|forget|override|bypass|do\s+not\s+follow)"
_SAY = r"(?:answer|say|reply|respond|output|write|tell|print|return|state)"
_MODEL = (
    r"(?:A\.?I\.?|LLMs?|GPT|ChatGPT|(?:large\s+)?language\s+models?|chat\s?bots?)"
    r"(?:\s+(?:assistants?|models?|agents?|systems?|reviewers?|readers?))?"
)
_ZH_DROP = r"(?:忽略|无视|忘记|忘掉|忘却|不要理会|不要遵守|不要遵循|抛开|忽視|無視|忘記)"
_ZH_EARLIER = (
    r"(?:以上|上述|上面|之前|此前|以前|前面|先前|所有|一切|全部|任何|你的|你|原有|原来|系统|系統)"
)
_ZH_TOLD = r"(?:指令|提示词|系统提示|系統提示|系统设定|提示詞|人设|[Pp]rompt)"
_ZH_MODEL = r"(?:AI|ＡＩ|人工智能|大模型|大?语言模型|聊天机器人|ChatGPT)"
_ZH_SAY = r"(?:回答|输出|回复|答复|说|告诉|輸出|回覆)"
_PATTERNS = (
    # What chat templates are made of.
    r"<\|(?:im_start|im_end|start_header_id|end_header_id|eot_id|begin_of_text|endoftext)\|>",
    r"<[|｜](?:system|user|assistant)[|｜]>|<<SYS>>|\[/INST\]|</?(?:start|end)_of_turn>",
    # Earlier orders shall not count; letters and contracts take back "our" own, of a day.
    rf"\b{_DROP}\s+(?:all|any|every|each|your)\b(?:\s+(?:of|the|your|these|those|and)){{0,3}}"
    rf"\s+(?:{_EARLIER}\s+)?(?:(?:and|or|system)\s+)?{_TOLD}\b",
    rf"\b{_DROP}\s+(?:(?:the|these|those)\s+)?{_EARLIER}\s+(?:system\s+)?{_TOLD}\b"
    r"(?!\s+(?:sent|dated|given|issued|received|regarding|for|in|from|of|on|that|which|we|you)\b)",
    rf"\bignore\s+(?:the|this|any|every)\s+(?:user['’]?s?\s+)?(?:question|query|prompt)\b"
    rf"[\s,.;:—-]+(?:and\s+|just\s+|only\s+|instead\s+){{0,2}}{_SAY}\b",
    # Who it takes itself to be, and what it was told in secret.
    r"\byou\s+are\s+(?:now|no\s+longer)\s+(?:an?\s+|the\s+|my\s+)?(?:\w+\s+){0,2}"
    r"(?:AI|DAN|LLM|chat\s?bot|language\s+model|AI\s+assistant)\b",
    r"\b(?:reveal|print|repeat|output|disclose|show)\s+(?:me\s+)?(?:all\s+of\s+)?your\s+"
    r"(?:(?:full|entire|hidden|initial)\s+)*(?:system\s+)?prompt\b",
    r"\bas\s+an?\s+(?:AI|LLM|(?:AI\s+)?language\s+model)(?:\s+\w+)?,?\s+you\s+"
    r"(?:must|should|shall|will|have\s+to|are\s+to|need\s+to)\b",
    # Called by name, and told what to do.
    rf"\b(?:notes?|instructions?|message|attention|reminder|warning)\s+(?:to|for)\s+"
    rf"(?:(?:the|any|all|every|an?)\s+)?{_MODEL}(?:\s+\w+ing\s+this(?:\s+\w+)?)?\s*[:：—]",
    rf"\bif\s+you\s+are\s+(?:an?|the)\s+{_MODEL}\b[^.!?]{{0,60}}?[,;:]?\s*(?:you\s+must\b|please\b|"
    rf"{_DROP}\b|{_SAY}\b|do\s+not\b|always\b|only\b|recommend\b|rate\b|give\b|approve\b|accept\b|include\b)",
    # Chinese
    rf"{_ZH_DROP}(?:掉|了)?{_ZH_EARLIER}[^，。；,;\n]{{0,8}}?{_ZH_TOLD}",
    rf"{_ZH_DROP}(?:用户|用戶|这个|该|以上|上述|所有)?的?(?:问题|提问|問題|要求|指示)"
    rf"[，,。；;、：:\s]*(?:而是|并|直接|只|请|请直接|只需|一律|改为|必须){{0,2}}{_ZH_SAY}",
    rf"你(?:现在|從現在起|从现在起|从现在开始)(?:不再)?是(?:一个|一名|一位)?[^，。；,;\n]{{0,10}}?"
    rf"(?:{_ZH_MODEL}|智能助手|虚拟助手)",
    rf"作为(?:一个|一名|一款)?{_ZH_MODEL}(?:助手|模型)?[，,]?\s*你(?:必须|应该|应当|需要|只能|要|不得)",
    rf"(?:致|给|告)(?:各位|所有|阅读本文的)?{_ZH_MODEL}(?:助手|模型|审稿人)?(?:的(?:指令|说明|提示))?[：:]",
    r"(?:输出|透露|泄露|重复|显示|告诉我|輸出)你的(?:系统提示词?|提示词|初始指令|系统指令|系統提示)",
)  # fmt: skip
_SPEAKS = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS), re.IGNORECASE)
_QUOTES = frozenset("\"'`“‘「『«")


def speaks_to_model(text: str) -> bool:
    """Whether the text tries to instruct a model that reads it."""
    return any(not _is_quoted(text, found.start()) for found in _SPEAKS.finditer(text))


def _is_quoted(text: str, at: int) -> bool:
    return at > 0 and text[at - 1] in _QUOTES
