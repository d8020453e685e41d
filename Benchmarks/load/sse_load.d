sse_load: sse_load.c client/report.h client/run.h client/load.h \
 client/load_event.h wire/bytes.h client/options.h client/tally.h \
 measure/histogram.h client/publisher.h wire/http_response.h \
 client/subscribers.h client/subscriber.h client/sequence.h \
 wire/event_stream.h wire/inflation.h
client/report.h:
client/run.h:
client/load.h:
client/load_event.h:
wire/bytes.h:
client/options.h:
client/tally.h:
measure/histogram.h:
client/publisher.h:
wire/http_response.h:
client/subscribers.h:
client/subscriber.h:
client/sequence.h:
wire/event_stream.h:
wire/inflation.h:
