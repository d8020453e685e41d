void rc_placeholder(void);
