# Copyright 2026 The Ward Authors. SPDX-License-Identifier: Apache-2.0
"""A model's server that wants one command executed and then is done, in the two dialects of the
coding agents that the tests start: Anthropic's Messages and OpenAI's Responses."""

import json

COMMAND = "echo made-by-the-agent > made.txt; cat made.txt"
LAST_WORDS = "the model has what it wanted"


def events(*parts):
    return "".join(f"event: {part['type']}\ndata: {json.dumps(part)}\n\n" for part in parts).encode()


def messages(request):
    ran = any(isinstance(message["content"], list)
              and any(part.get("type") == "tool_result" for part in message["content"])
              for message in request["messages"])
    if not ran and any(tool["name"] == "Bash" for tool in request.get("tools", [])):
        call = json.dumps({"command": COMMAND, "description": "make a file"})
        block = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}
        delta = {"type": "input_json_delta", "partial_json": call}
        reason = "tool_use"
    else:
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": LAST_WORDS}
        reason = "end_turn"
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": request["model"],
               "content": [], "stop_reason": None, "stop_sequence": None,
               "usage": {"input_tokens": 1, "output_tokens": 1}}
    return events(
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None},
         "usage": {"output_tokens": 2}},
        {"type": "message_stop"})


def responses(request):
    if any(item.get("type") == "function_call_output" for item in request["input"]):
        item = {"type": "message", "id": "msg_1", "role": "assistant",
                "content": [{"type": "output_text", "text": LAST_WORDS}]}
    else:
        item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "exec_command",
                "arguments": json.dumps({"cmd": COMMAND})}
    response = {"id": "resp_1", "object": "response", "status": "completed", "output": [item],
                "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
                          "input_tokens_details": {"cached_tokens": 0},
                          "output_tokens_details": {"reasoning_tokens": 0}}}
    return events(
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response})


def reply(path, body):
    """The stream that answers a request, or None where the model has no such door."""
    if path.endswith("/v1/messages"):
        return messages(json.loads(body))
    if path.endswith("/v1/responses"):
        return responses(json.loads(body))
    return None
